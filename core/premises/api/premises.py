"""Serve the register of premises: their authorisations, terminals and operators."""

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.schema import operation
from core.api.shapes import Choice, Code, Flag, Instant, PageQuery, Secret, Shape, Text, Whole
from core.api.views import StaffView
from core.premises import openings, operators, powers, selectors, services
from core.premises.models import Game, Premises
from core.staff.api.proposals import ProposalOut
from core.staff.two_persons import ProposalPending

_BIGGEST_NUMBER = 32_767


class PremisesIn(Shape):
    code = Code()
    name = Text(max_length=120)
    kind = Choice(Premises.Kind.values)
    address = Text(max_length=200)
    municipality = Text(max_length=80)


class PremisesOut(Shape):
    id = Whole()
    code = serializers.CharField()
    name = serializers.CharField()
    kind = Choice(Premises.Kind.values)
    address = serializers.CharField()
    municipality = serializers.CharField()
    created_at = Instant()


class AuthorisationIn(Shape):
    premises = Text(
        max_length=20, help_text="Of premises on record, or opened by the same proposal."
    )
    game = Choice(Game.values)
    valid_from = Instant()
    valid_until = Instant(allow_null=True, default=None)
    reference = Text(max_length=120)


class AuthorisationOut(Shape):
    id = Whole()
    game = Choice(Game.values)
    valid_from = Instant()
    valid_until = Instant(allow_null=True)
    reference = serializers.CharField()
    recorded_at = Instant()


class TerminalIn(Shape):
    premises = Text(
        max_length=20, help_text="Of premises on record, or opened by the same proposal."
    )
    code = Code()


class OpeningIn(Shape):
    premises = PremisesIn(many=True, default=())
    authorisations = AuthorisationIn(many=True, default=())
    terminals = TerminalIn(many=True, default=())


class EnrolmentsIn(Shape):
    terminals = serializers.ListField(
        child=Text(max_length=20), help_text="Their codes, at most 200."
    )
    reason = Text(max_length=200)


class TerminalOut(Shape):
    code = serializers.CharField()
    enrolled_at = Instant(allow_null=True)
    revoked_at = Instant(allow_null=True)
    created_at = Instant()


class EnrolmentCodeOut(Shape):
    terminal = serializers.CharField()
    enrolment_code = serializers.CharField(help_text="Valid once, for 24 hours. Shown once.")


class OperatorIn(Shape):
    number = Whole(min_value=1, max_value=_BIGGEST_NUMBER)
    name = Text(max_length=120)
    pin = Secret(max_length=12, help_text="6 to 12 digits.")


class OperatorOut(Shape):
    number = Whole()
    name = serializers.CharField()
    is_active = Flag()
    created_at = Instant()


class PinIn(Shape):
    pin = Secret(max_length=12, help_text="6 to 12 digits.")


class PremisesDetailOut(PremisesOut):
    authorisations = AuthorisationOut(many=True)
    terminals = TerminalOut(many=True)
    operators = OperatorOut(many=True)


_OPENING = {
    "premises": [
        {
            "code": "P-0001",
            "name": "Bar Central",
            "kind": "establishment",
            "address": "Major 1",
            "municipality": "Manacor",
        }
    ],
    "authorisations": [
        {
            "premises": "P-0001",
            "game": "lototrot",
            "valid_from": "2026-01-01T00:00:00+01:00",
            "valid_until": None,
            "reference": "DGJ 12/2026",
        }
    ],
    "terminals": [{"premises": "P-0001", "code": "T-0001"}],
}


class PremisesList(StaffView):
    @operation("Premises", answer=PremisesOut, paged=True, power=powers.READ)
    def get(self, request: Request) -> HttpResponse:
        query = self.query(PageQuery)
        return self.rows(PremisesOut, selectors.premises_list(by=self.by), query)

    @operation(
        "Propose to open premises, authorisations (14.I.6) and terminals; another person confirms",
        "At most 200 of each at once. A terminal that is opened may enrol: its code is asked for"
        " at `terminals/{code}/enrolment-code`.",
        body=OpeningIn,
        answer=ProposalOut,
        status=201,
        idempotent=True,
        problems=(
            openings.OpeningEmpty,
            services.PremisesIncomplete,
            services.CodeTaken,
            services.PremisesUnknown,
            services.PeriodBackwards,
            services.AuthorisationOverlaps,
            ProposalPending,
        ),
        example=_OPENING,
        power=powers.REGISTER,
    )
    def post(self, request: Request) -> HttpResponse:
        body = self.read(OpeningIn)

        return self.created_once(
            ProposalOut,
            openings.opening_propose,
            by=self.by,
            premises=[openings.NewPremises(**row) for row in body["premises"]],
            authorisations=[openings.NewAuthorisation(**r) for r in body["authorisations"]],
            terminals=[openings.NewTerminal(**row) for row in body["terminals"]],
        )


class OnePremises(StaffView):
    @operation(
        "Premises with authorisations, terminals and operators",
        answer=PremisesDetailOut,
        problems=(services.PremisesUnknown,),
        power=powers.READ,
    )
    def get(self, request: Request, code: str) -> HttpResponse:
        return self.answer(PremisesDetailOut, selectors.premises_one(by=self.by, code=code))


class AuthorisationEnd(StaffView):
    @operation(
        "End an authorisation now",
        answer=AuthorisationOut,
        problems=(services.AuthorisationUnknown,),
        power=powers.REGISTER,
    )
    def post(self, request: Request, authorisation: int) -> HttpResponse:
        self.read(Shape)
        ended = services.authorisation_end(by=self.by, authorisation=authorisation)
        return self.answer(AuthorisationOut, ended)


class Enrolments(StaffView):
    @operation(
        "Propose that terminals enrol again, each once; another person confirms",
        "Until the code is used, each goes on with its present token.",
        body=EnrolmentsIn,
        answer=ProposalOut,
        status=201,
        idempotent=True,
        problems=(
            openings.OpeningEmpty,
            services.TerminalNotFound,
            openings.TerminalEnded,
            ProposalPending,
        ),
        example={"terminals": ["T-0001"], "reason": "A new machine."},
        power=powers.REGISTER,
    )
    def post(self, request: Request) -> HttpResponse:
        return self.created_once(
            ProposalOut, openings.enrolment_propose, by=self.by, **self.read(EnrolmentsIn)
        )


class EnrolmentCode(StaffView):
    @operation(
        "The enrolment code of a terminal that two persons let enrol",
        "Another one takes its place until one is used. Using it ends the terminal's present"
        " token.",
        answer=EnrolmentCodeOut,
        status=201,
        problems=(services.TerminalNotFound, openings.EnrolmentNotConfirmed),
        power=powers.REGISTER,
    )
    def post(self, request: Request, code: str) -> HttpResponse:
        self.read(Shape)
        secret = openings.enrolment_code(by=self.by, terminal=code)
        return self.answer(EnrolmentCodeOut, {"terminal": code, "enrolment_code": secret}, 201)


class Revocation(StaffView):
    @operation(
        "Revoke a terminal for good",
        answer=TerminalOut,
        problems=(services.TerminalNotFound,),
        power=powers.REGISTER,
    )
    def post(self, request: Request, code: str) -> HttpResponse:
        self.read(Shape)
        return self.answer(TerminalOut, services.terminal_revoke(by=self.by, terminal=code))


class Operators(StaffView):
    @operation(
        "Register an operator",
        "An answer that is given again has no name: it is kept for ever, and a name is not.",
        body=OperatorIn,
        answer=OperatorOut,
        status=201,
        idempotent=True,
        problems=(services.PremisesUnknown, operators.PinWeak, services.CodeTaken),
        example={"number": 1, "name": "Joan Sastre", "pin": "…"},
        power=powers.REGISTER,
    )
    def post(self, request: Request, code: str) -> HttpResponse:
        body = self.read(OperatorIn)

        def act() -> HttpResponse:
            operator = operators.operator_register(by=self.by, premises=code, **body)
            return self.answer(OperatorOut, operator, 201)

        return self.once(act, without=("name",))


class OperatorDeactivation(StaffView):
    @operation(
        "End an operator's right to work there, now",
        "A repeated request changes nothing.",
        answer=OperatorOut,
        problems=(services.PremisesUnknown, operators.OperatorUnknown),
        power=powers.REGISTER,
    )
    def post(self, request: Request, code: str, number: int) -> HttpResponse:
        self.read(Shape)
        operator = operators.operator_deactivate(by=self.by, premises=code, number=number)
        return self.answer(OperatorOut, operator)


class OperatorPin(StaffView):
    @operation(
        "Give an operator another PIN",
        "It ends the operator's lock and sessions.",
        body=PinIn,
        answer=OperatorOut,
        example={"pin": "…"},
        problems=(
            services.PremisesUnknown,
            operators.OperatorUnknown,
            operators.OperatorInactive,
            operators.PinWeak,
        ),
        power=powers.REGISTER,
    )
    def post(self, request: Request, code: str, number: int) -> HttpResponse:
        operator = operators.operator_pin_reset(
            by=self.by, premises=code, number=number, **self.read(PinIn)
        )
        return self.answer(OperatorOut, operator)
