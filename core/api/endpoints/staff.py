"""Staff: signing on and off, and accounts."""

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.schema import operation
from core.api.shapes import Choice, Flag, Instant, PageQuery, Secret, Shape, Text, Uuid, Whole
from core.api.views import ApiView, StaffView
from core.staff import selectors, services
from core.staff.powers import Role


class StaffSignOnIn(Shape):
    username = Text(max_length=60)
    password = Secret(max_length=200)


class SessionOut(Shape):
    session = Uuid(source="session.uuid")
    token = serializers.CharField(help_text="Shown once; goes in `Authorization: Bearer`.")
    expires_at = Instant(source="session.expires_at")
    user = Whole(source="session.user_id")
    full_name = serializers.CharField(source="session.user.full_name")
    roles = serializers.ListField(child=Choice(Role.values), source="session.user.roles")


class AccountIn(Shape):
    username = Text(max_length=60)
    full_name = Text(max_length=120)
    password = Secret(max_length=200)
    roles = serializers.ListField(child=Choice(Role.values), min_length=1, max_length=len(Role))
    appointment = Text(
        max_length=120, required=False, allow_blank=True,
        help_text="The order of appointment; an inspector needs one.",
    )  # fmt: skip


class AccountOut(Shape):
    id = Whole()
    username = serializers.CharField()
    full_name = serializers.CharField()
    roles = serializers.ListField(child=Choice(Role.values))
    appointment = serializers.CharField()
    is_active = Flag()
    created_at = Instant()


_ACCOUNT = {
    "username": "m.riera", "full_name": "Maria Riera", "roles": ["organiser"], "appointment": "",
}  # fmt: skip


class Sessions(ApiView):
    @operation(
        "Sign on", body=StaffSignOnIn, answer=SessionOut, status=201,
        problems=(services.SignOnRefused, services.SignOnLocked),
        example={"username": "m.riera", "password": "…"},
    )  # fmt: skip
    def post(self, request: Request) -> HttpResponse:
        user = services.password_check(**self.read(StaffSignOnIn))
        session, token = services.session_start(user=user)
        self.acting(staff=user.pk, staff_session=session.pk)
        return self.answer(SessionOut, {"session": session, "token": token}, 201)


class CurrentSession(StaffView):
    @operation("Sign off")
    def delete(self, request: Request) -> HttpResponse:
        services.session_end(by=self.by)
        return self.nothing()


class Staff(StaffView):
    @operation("Accounts", answer=AccountOut, paged=True)
    def get(self, request: Request) -> HttpResponse:
        query = self.query(PageQuery)
        return self.rows(AccountOut, selectors.accounts(by=self.by), query)

    @operation(
        "Open an account", body=AccountIn, answer=AccountOut, status=201, idempotent=True,
        problems=(services.PasswordWeak, services.AppointmentMissing, services.UsernameTaken),
        example={**_ACCOUNT, "password": "…"},
    )  # fmt: skip
    def post(self, request: Request) -> HttpResponse:
        body = self.read(AccountIn)
        return self.once(
            lambda: self.answer(AccountOut, services.user_create(by=self.by, **body), 201)
        )
