"""Serve sign-on, sign-off, the second factor and accounts of staff."""

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.schema import SIGNED_ON, operation
from core.api.shapes import Choice, Flag, Instant, PageQuery, Secret, Shape, Text, Uuid, Whole
from core.api.views import ApiView, StaffView
from core.staff import accounts, names, powers, second_factor, selectors, services, two_persons
from core.staff.api.proposals import ProposalOut
from core.staff.devices import Origin, device_token
from core.staff.powers import Role
from core.traffic.addresses import address_of
from core.traffic.limits import Throttled


class StaffSignOnIn(Shape):
    username = Text(max_length=60)
    password = Secret(max_length=200)
    code = Secret(
        max_length=6,
        required=False,
        help_text="Code of the second factor. Leave it out if none is set up yet.",
    )
    device = Secret(
        max_length=200,
        required=False,
        help_text="The device token of an earlier sign-on: strangers' wrong tries do not count.",
    )


class OwnPasswordIn(Shape):
    current = Secret(max_length=200)
    new = Secret(max_length=200)


class SessionOut(Shape):
    session = Uuid(source="session.uuid")
    token = serializers.CharField(help_text="Shown once; goes in `Authorization: Bearer`.")
    expires_at = Instant(source="session.expires_at")
    user = Whole(source="session.user_id")
    username = serializers.CharField(source="session.user.username")
    full_name = serializers.CharField(source="session.user.full_name")
    roles = serializers.ListField(child=Choice(Role.values), source="session.user.roles")
    verified = Flag(
        source="session.verified",
        help_text="If false, the session can do nothing but set up the second factor.",
    )
    device = serializers.CharField(
        allow_null=True,
        help_text="Keep it for the next sign-on of this person. Null without a second factor.",
    )
    must_set_password = Flag(
        source="session.user.must_set_password",
        help_text="If true, others know the password, and the session can only change it.",
    )


class SecondFactorOut(Shape):
    secret = serializers.CharField(help_text="For the device (RFC 6238). Shown once.")
    uri = serializers.CharField(help_text="The same as `otpauth://`, for a QR code.")


class SecondFactorIn(Shape):
    code = Secret(max_length=6)


class AccountIn(Shape):
    username = Text(max_length=60)
    full_name = Text(max_length=120)
    password = Secret(max_length=200)
    roles = serializers.ListField(child=Choice(Role.values), min_length=1, max_length=len(Role))
    appointment = Text(
        max_length=120,
        required=False,
        allow_blank=True,
        help_text="The order of appointment; an inspector needs one.",
    )


class RolesIn(Shape):
    roles = serializers.ListField(child=Choice(Role.values), max_length=len(Role))


class PasswordIn(Shape):
    password = Secret(max_length=200)


class AccountOut(Shape):
    id = Whole()
    username = serializers.CharField()
    full_name = serializers.CharField()
    roles = serializers.ListField(child=Choice(Role.values))
    appointment = serializers.CharField()
    is_active = Flag()
    created_at = Instant()


_ACCOUNT = {
    "username": "or-17",
    "full_name": "Maria Riera",
    "roles": ["organiser"],
    "appointment": "",
}

_ANOTHER = (accounts.UserUnknown, accounts.OwnAccount, two_persons.ProposalPending)


class Sessions(ApiView):
    @operation(
        "Sign on",
        body=StaffSignOnIn,
        answer=SessionOut,
        status=201,
        problems=(services.SignOnRefused, services.SecondFactorNeeded, Throttled),
        example={"username": "or-17", "password": "…", "code": "123456"},
    )
    def post(self, request: Request) -> HttpResponse:
        body = {"code": "", "device": "", **self.read(StaffSignOnIn)}
        origin = Origin(address_of(request.META), body.pop("device"))
        user, verified = services.sign_on_check(**body, origin=origin)
        session, token = services.session_start(user=user, verified=verified)
        self.acting(staff=user.pk, staff_session=session.pk)
        device = device_token(user) if verified else None
        return self.answer(SessionOut, {"session": session, "token": token, "device": device}, 201)


class CurrentSession(StaffView):
    needs_own_password = False
    needs_second_factor = False

    @operation("Sign off", power=SIGNED_ON)
    def delete(self, request: Request) -> HttpResponse:
        services.session_end(by=self.by)
        return self.nothing()


class SecondFactor(StaffView):
    needs_second_factor = False

    @operation(
        "Begin to set up one's second factor",
        answer=SecondFactorOut,
        status=201,
        problems=(second_factor.SecondFactorStands,),
        power=SIGNED_ON,
    )
    def post(self, request: Request) -> HttpResponse:
        return self.answer(SecondFactorOut, second_factor.factor_begin(by=self.by), 201)


class SecondFactorConfirmation(StaffView):
    needs_second_factor = False

    @operation(
        "Confirm one's second factor with the code that the device shows",
        body=SecondFactorIn,
        problems=(second_factor.SecondFactorUnknown, second_factor.OneTimeCodeWrong),
        power=SIGNED_ON,
    )
    def post(self, request: Request) -> HttpResponse:
        second_factor.factor_confirm(by=self.by, **self.read(SecondFactorIn))
        return self.nothing()


class OwnPassword(StaffView):
    needs_own_password = False
    needs_second_factor = False

    @operation(
        "Change one's own password",
        "The other sessions of the person end. The first sign-on with a password that others set"
        " begins with this.",
        body=OwnPasswordIn,
        problems=(
            services.SignOnRefused,
            Throttled,
            services.PasswordWeak,
            accounts.PasswordUnchanged,
        ),
        example={"current": "…", "new": "…"},
        power=powers.CHANGE_OWN_PASSWORD,
    )
    def post(self, request: Request) -> HttpResponse:
        accounts.password_change(by=self.by, **self.read(OwnPasswordIn))
        return self.nothing()


class Staff(StaffView):
    @operation("Accounts", answer=AccountOut, paged=True, power=powers.MANAGE_ACCOUNTS)
    def get(self, request: Request) -> HttpResponse:
        query = self.query(PageQuery)
        return self.rows(AccountOut, selectors.accounts(by=self.by), query)

    @operation(
        "Propose an account",
        "Another administrator confirms it. Until then nobody can sign on with it. The user name is"
        " kept for ever and must hold no part of the person's name, which is erased one day. An"
        " answer that is given again has no name.",
        body=AccountIn,
        answer=ProposalOut,
        status=202,
        idempotent=True,
        problems=(
            services.PasswordWeak,
            services.RolesIncompatible,
            services.AppointmentMissing,
            services.UsernameTaken,
            names.UsernameTellsName,
            names.UsernameMalformed,
            two_persons.ProposalPending,
        ),
        example={**_ACCOUNT, "password": "…"},
        power=powers.MANAGE_ACCOUNTS,
    )
    def post(self, request: Request) -> HttpResponse:
        body = self.read(AccountIn)
        return self.once(
            lambda: self.answer(ProposalOut, accounts.account_propose(by=self.by, **body), 202),
            without=("full_name",),
        )


class Roles(StaffView):
    @operation(
        "Propose that a person has exactly these roles",
        body=RolesIn,
        answer=ProposalOut,
        status=202,
        problems=(*_ANOTHER, services.RolesIncompatible, services.AppointmentMissing),
        example={"roles": ["organiser"]},
        power=powers.MANAGE_ACCOUNTS,
    )
    def post(self, request: Request, user: int) -> HttpResponse:
        proposal = accounts.roles_propose(by=self.by, user_id=user, **self.read(RolesIn))
        return self.answer(ProposalOut, proposal, 202)


class Password(StaffView):
    @operation(
        "Propose a password for another person",
        "The person's sessions end when another administrator confirms it.",
        body=PasswordIn,
        answer=ProposalOut,
        status=202,
        problems=(*_ANOTHER, services.PasswordWeak),
        example={"password": "…"},
        power=powers.MANAGE_ACCOUNTS,
    )
    def post(self, request: Request, user: int) -> HttpResponse:
        proposal = accounts.password_propose(by=self.by, user_id=user, **self.read(PasswordIn))
        return self.answer(ProposalOut, proposal, 202)


class Deactivation(StaffView):
    @operation(
        "Close an account",
        "One administrator can: the person's sessions end at once. To open it again takes two.",
        answer=AccountOut,
        problems=(accounts.UserUnknown, accounts.OwnAccount),
        power=powers.MANAGE_ACCOUNTS,
    )
    def post(self, request: Request, user: int) -> HttpResponse:
        return self.answer(AccountOut, accounts.user_deactivate(by=self.by, user_id=user))


class Reactivation(StaffView):
    @operation(
        "Propose to open a closed account again",
        answer=ProposalOut,
        status=202,
        problems=(*_ANOTHER, accounts.AccountOpen, accounts.NameErased),
        power=powers.MANAGE_ACCOUNTS,
    )
    def post(self, request: Request, user: int) -> HttpResponse:
        proposal = accounts.reactivation_propose(by=self.by, user_id=user)
        return self.answer(ProposalOut, proposal, 202)


class SecondFactorEnding(StaffView):
    @operation(
        "Propose to end the second factor of a person whose device is lost",
        answer=ProposalOut,
        status=202,
        problems=(*_ANOTHER, second_factor.SecondFactorMissing),
        power=powers.MANAGE_ACCOUNTS,
    )
    def post(self, request: Request, user: int) -> HttpResponse:
        proposal = second_factor.factor_end_propose(by=self.by, user_id=user)
        return self.answer(ProposalOut, proposal, 202)
