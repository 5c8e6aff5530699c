"""Serve the register of premises: their authorisations, terminals and operators."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.schema import operation
from core.api.shapes import Choice, Code, Flag, Instant, PageQuery, Secret, Shape, Text, Whole
from core.api.views import StaffView
from core.premises import operators, selectors, services
from core.premises.models import Game, Premises

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
    code = Code()


class TerminalOut(Shape):
    code = serializers.CharField()
    enrolled_at = Instant(allow_null=True)
    revoked_at = Instant(allow_null=True)
    created_at = Instant()


class EnrolmentCodeOut(Shape):
    terminal = serializers.CharField()
    enrolment_code = serializers.CharField(
        allow_null=True, help_text="Valid once, for 24 hours. Shown once: null in a replay."
    )


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


_PREMISES = {
    "code": "P-0001",
    "name": "Bar Central",
    "kind": "establishment",
    "address": "Major 1",
    "municipality": "Manacor",
}


class PremisesList(StaffView):
    @operation("Premises", answer=PremisesOut, paged=True)
    def get(self, request: Request) -> HttpResponse:
        query = self.query(PageQuery)
        return self.rows(PremisesOut, selectors.premises_list(by=self.by), query)

    @operation(
        "Register premises",
        body=PremisesIn,
        answer=PremisesOut,
        status=201,
        idempotent=True,
        problems=(services.CodeTaken,),
        example=_PREMISES,
    )
    def post(self, request: Request) -> HttpResponse:
        body = self.read(PremisesIn)
        return self.once(
            lambda: self.answer(PremisesOut, services.premises_register(by=self.by, **body), 201)
        )


class OnePremises(StaffView):
    @operation(
        "Premises with authorisations, terminals and operators",
        answer=PremisesDetailOut,
        problems=(services.PremisesUnknown,),
    )
    def get(self, request: Request, code: str) -> HttpResponse:
        return self.answer(PremisesDetailOut, selectors.premises_one(by=self.by, code=code))


class Authorisations(StaffView):
    @operation(
        "Record an authorisation (14.I.6)",
        body=AuthorisationIn,
        answer=AuthorisationOut,
        status=201,
        idempotent=True,
        problems=(
            services.PremisesUnknown,
            services.PeriodBackwards,
            services.AuthorisationOverlaps,
        ),
        example={
            "game": "lototrot",
            "valid_from": "2026-01-01T00:00:00+01:00",
            "valid_until": None,
            "reference": "DGJ 12/2026",
        },
    )
    def post(self, request: Request, code: str) -> HttpResponse:
        body = self.read(AuthorisationIn)

        def act() -> HttpResponse:
            authorisation = services.authorisation_record(by=self.by, premises=code, **body)
            return self.answer(AuthorisationOut, authorisation, 201)

        return self.once(act)


class AuthorisationEnd(StaffView):
    @operation(
        "End an authorisation now",
        answer=AuthorisationOut,
        problems=(services.AuthorisationUnknown,),
    )
    def post(self, request: Request, authorisation: int) -> HttpResponse:
        self.read(Shape)
        ended = services.authorisation_end(by=self.by, authorisation=authorisation)
        return self.answer(AuthorisationOut, ended)


class Terminals(StaffView):
    @operation(
        "Register a terminal; its one-time enrolment code",
        body=TerminalIn,
        answer=EnrolmentCodeOut,
        status=201,
        idempotent=True,
        problems=(services.PremisesUnknown, services.CodeTaken),
        example={"code": "T-0001"},
    )
    def post(self, request: Request, code: str) -> HttpResponse:
        body = self.read(TerminalIn)

        def act() -> HttpResponse:
            terminal, secret = services.terminal_register(by=self.by, premises=code, **body)
            return self.answer(EnrolmentCodeOut, _enrolment(terminal.code, secret), 201)

        return self.once(act, withheld=("enrolment_code",))


class EnrolmentCode(StaffView):
    @operation(
        "A new enrolment code for a terminal",
        "Using it ends the terminal's present token.",
        answer=EnrolmentCodeOut,
        status=201,
        problems=(services.TerminalNotFound,),
    )
    def post(self, request: Request, code: str) -> HttpResponse:
        self.read(Shape)
        secret = services.terminal_reenrol(by=self.by, terminal=code)
        return self.answer(EnrolmentCodeOut, _enrolment(code, secret), 201)


class Revocation(StaffView):
    @operation(
        "Revoke a terminal for good", answer=TerminalOut, problems=(services.TerminalNotFound,)
    )
    def post(self, request: Request, code: str) -> HttpResponse:
        self.read(Shape)
        return self.answer(TerminalOut, services.terminal_revoke(by=self.by, terminal=code))


class Operators(StaffView):
    @operation(
        "Register an operator",
        body=OperatorIn,
        answer=OperatorOut,
        status=201,
        idempotent=True,
        problems=(services.PremisesUnknown, operators.PinWeak, services.CodeTaken),
        example={"number": 1, "name": "Joan Sastre", "pin": "…"},
    )
    def post(self, request: Request, code: str) -> HttpResponse:
        body = self.read(OperatorIn)

        def act() -> HttpResponse:
            operator = operators.operator_register(by=self.by, premises=code, **body)
            return self.answer(OperatorOut, operator, 201)

        return self.once(act)


class OperatorDeactivation(StaffView):
    @operation(
        "End an operator's right to work there, now",
        "A repeated request changes nothing.",
        answer=OperatorOut,
        problems=(services.PremisesUnknown, operators.OperatorUnknown),
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
    )
    def post(self, request: Request, code: str, number: int) -> HttpResponse:
        operator = operators.operator_pin_reset(
            by=self.by, premises=code, number=number, **self.read(PinIn)
        )
        return self.answer(OperatorOut, operator)


def _enrolment(terminal: str, secret: str) -> dict[str, Any]:
    return {"terminal": terminal, "enrolment_code": secret}
