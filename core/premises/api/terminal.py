"""Serve a terminal's requests about itself: enrolment, token and the operator's session."""

from typing import ClassVar

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.authentication import OPERATOR_HEADER, OperatorToken
from core.api.schema import operation
from core.api.shapes import Choice, Flag, Instant, Secret, Shape, Whole
from core.api.views import ApiView, BareTerminalView
from core.database import clock
from core.premises import operators, selectors, services
from core.premises.access import Capability, terminal_actor
from core.premises.models import Premises
from core.traffic.limits import Throttled


class EnrolmentIn(Shape):
    enrolment_code = Secret(max_length=64)


class TokenOut(Shape):
    terminal = serializers.CharField()
    token = serializers.CharField(help_text="Shown once; goes in `Authorization: Terminal`.")


class OperatorSignOnIn(Shape):
    number = Whole(min_value=1, max_value=32_767)
    pin = Secret(max_length=12)


class OperatorSessionOut(Shape):
    token = serializers.CharField(help_text=f"Shown once; goes in `{OPERATOR_HEADER}`.")
    operator = Whole(source="session.operator.number")
    name = serializers.CharField(source="session.operator.name")
    expires_at = Instant(source="session.expires_at")


class SignedOnOut(Shape):
    operator = Whole(source="operator.number")
    name = serializers.CharField(source="operator.name")
    expires_at = Instant()


class WhoAmIOut(Shape):
    terminal = serializers.CharField(source="card.terminal.code")
    premises = serializers.CharField(source="card.terminal.premises.code")
    premises_name = serializers.CharField(source="card.terminal.premises.name")
    premises_kind = Choice(Premises.Kind.values, source="card.terminal.premises.kind")
    capabilities = serializers.ListField(
        child=Choice([c.value for c in Capability]), source="card.capabilities"
    )
    session = SignedOnOut(source="card.session", allow_null=True)
    server_time = Instant()
    is_simulated = Flag(help_text="The clock has been moved for a demonstration.")


class Enrolment(ApiView):
    challenge = "Terminal"

    @operation(
        "Exchange a one-time code for the terminal's token",
        body=EnrolmentIn,
        answer=TokenOut,
        status=201,
        problems=(services.EnrolmentRefused,),
        example={"enrolment_code": "…"},
    )
    def post(self, request: Request) -> HttpResponse:
        body = self.read(EnrolmentIn)
        terminal, token = services.terminal_enrol(code=body["enrolment_code"])
        self.acting(terminal=terminal.pk)
        return self.answer(TokenOut, {"terminal": terminal.code, "token": token}, 201)


class Token(BareTerminalView):
    @operation(
        "Roll the terminal's token",
        "The present token ends when the new one is first used. If the answer is lost, roll again.",
        answer=TokenOut,
        status=201,
    )
    def post(self, request: Request) -> HttpResponse:
        self.read(Shape)
        token = services.terminal_roll(terminal=self.terminal)
        card = selectors.terminal_card(terminal=self.terminal, session_digest=b"")
        return self.answer(TokenOut, {"terminal": card.terminal.code, "token": token}, 201)


class Session(BareTerminalView):
    authentication_for: ClassVar = {"delete": (OperatorToken,)}

    @operation(
        "Sign an operator on",
        body=OperatorSignOnIn,
        answer=OperatorSessionOut,
        status=201,
        problems=(operators.PinRefused, Throttled),
        example={"number": 1, "pin": "…"},
    )
    def post(self, request: Request) -> HttpResponse:
        body = self.read(OperatorSignOnIn)
        session, token = operators.operator_sign_on(terminal=self.terminal, **body)
        return self.answer(OperatorSessionOut, {"session": session, "token": token}, 201)

    @operation("Sign the operator off")
    def delete(self, request: Request) -> HttpResponse:
        session = terminal_actor(self.credentials).session_id
        operators.operator_sign_off(session=session)
        return self.nothing()


class WhoAmI(BareTerminalView):
    @operation("Who this terminal is, what it may do, and the time", answer=WhoAmIOut)
    def get(self, request: Request) -> HttpResponse:
        card = selectors.terminal_card(
            terminal=self.terminal, session_digest=self.credentials.session_digest
        )
        facts = {"card": card, "server_time": clock.now(), "is_simulated": clock.is_simulated()}
        return self.answer(WhoAmIOut, facts)
