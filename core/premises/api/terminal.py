"""Serve a terminal's requests about itself: enrolment, token and the operator's session."""

import dataclasses
from typing import ClassVar

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from core.api.authentication import (
    OPERATOR_HEADER,
    PROOF_HEADER,
    TERMINAL_SCHEME,
    OperatorToken,
    TerminalProof,
    token_from,
)
from core.api.schema import operation
from core.api.shapes import Choice, Flag, Instant, Secret, Shape, Text, Whole
from core.api.views import ApiView, BareTerminalView, CredentialsView
from core.database import clock
from core.premises import operators, proving, selectors, services
from core.premises.access import (
    BareTerminal,
    Capability,
    TerminalUnknown,
    bare_terminal,
    terminal_actor,
    terminal_to_prove,
)
from core.premises.models import Premises
from core.traffic.limits import Throttled


class EnrolmentIn(Shape):
    enrolment_code = Secret(max_length=64)
    public_key = Text(
        max_length=200,
        help_text="Of the key pair that the terminal made (P-256); base64url of"
        " SubjectPublicKeyInfo. The private key never leaves the terminal.",
    )


class RollIn(Shape):
    terminal = Text(
        max_length=20, required=False, help_text="Its code, if its token is not known any more."
    )


class TokenOut(Shape):
    terminal = serializers.CharField()
    token = serializers.CharField(
        source="token.text", help_text="Shown once; goes in `Authorization: Terminal`."
    )
    expires_at = Instant(source="token.expires_at")


class OperatorSignOnIn(Shape):
    number = Whole(min_value=1, max_value=32_767)
    pin = Secret(max_length=12)


class PinChoiceIn(Shape):
    number = Whole(min_value=1, max_value=32_767)
    pin = Secret(max_length=12, help_text="The present one.")
    new_pin = Secret(max_length=12, help_text="6 to 12 digits, which nobody else knows.")


class OperatorSessionOut(Shape):
    token = serializers.CharField(help_text=f"Shown once; goes in `{OPERATOR_HEADER}`.")
    operator = Whole(source="session.operator.number")
    name = serializers.CharField(source="session.operator.name")
    expires_at = Instant(source="session.expires_at")
    terminal_token = serializers.CharField(
        source="terminal_token.text",
        help_text="The terminal's new token, shown once. Its first use ends the present one.",
    )
    terminal_token_expires_at = Instant(source="terminal_token.expires_at")


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


class ProvenTerminalView(CredentialsView):
    """Answer a terminal, `self.terminal`, whose key signed the request."""

    authentication_classes = (TerminalProof,)
    terminal: BareTerminal

    def identify(self, request: Request) -> dict[str, int]:
        super().identify(request)
        signed = proving.SignedRequest(
            method=request.method or "",
            path=request.path,
            token=token_from(request.META, TERMINAL_SCHEME),
            body=request._request.body,
        )
        self.terminal = self.terminal_of(request, signed)
        who = {"terminal": self.terminal.terminal_id}
        self.acting(**who)
        key = proving.terminal_prove(
            terminal=self.terminal.terminal_id, request=signed, proof=_proof(request)
        )
        self.terminal = dataclasses.replace(self.terminal, key=key)
        return who

    def terminal_of(self, request: Request, signed: proving.SignedRequest) -> BareTerminal:
        """Return the terminal whose key has to have signed the request."""
        return terminal_to_prove(self.credentials)


def _proof(request: Request) -> proving.Proof:
    return proving.Proof.of(request.headers.get(PROOF_HEADER, ""))


class Enrolment(ApiView):
    for_terminals = True
    units = 5
    challenge = "Terminal"

    @operation(
        "Exchange a one-time code for the terminal's token",
        body=EnrolmentIn,
        answer=TokenOut,
        status=201,
        problems=(services.EnrolmentRefused, proving.KeyUnfit),
        example={"enrolment_code": "…", "public_key": "…"},
    )
    def post(self, request: Request) -> HttpResponse:
        body = self.read(EnrolmentIn)
        terminal, token = services.terminal_enrol(
            code=body["enrolment_code"], public_key=body["public_key"]
        )
        self.acting(terminal=terminal.pk)
        return self.answer(TokenOut, {"terminal": terminal.code, "token": token}, 201)


class Token(ProvenTerminalView):
    @operation(
        "Roll the terminal's token",
        "The present token, which may have expired, ends when the new one is first used. If the"
        " answer is lost, roll again. A terminal whose token is not known (`terminal_unknown`), as"
        " after a restore of the database to an earlier time, names itself: its key is enough.",
        body=RollIn,
        answer=TokenOut,
        status=201,
        problems=(Throttled,),
    )
    def post(self, request: Request) -> HttpResponse:
        self.read(RollIn)
        token = services.terminal_roll(terminal=self.terminal)
        card = selectors.terminal_card(terminal=self.terminal, session_digest=b"")
        return self.answer(TokenOut, {"terminal": card.terminal.code, "token": token}, 201)

    def terminal_of(self, request: Request, signed: proving.SignedRequest) -> BareTerminal:
        try:
            return super().terminal_of(request, signed)
        except TerminalUnknown:
            code = self.read(RollIn).get("terminal")
            if code is None:
                raise
            return proving.terminal_named(code=code, request=signed, proof=_proof(request))


class Pin(ProvenTerminalView):
    @operation(
        "Choose one's own PIN",
        "The PIN that staff gave opens nothing else. The operator's sessions end; sign on with the"
        " new PIN.",
        body=PinChoiceIn,
        problems=(
            operators.PinRefused,
            Throttled,
            operators.PinWeak,
            operators.PinSame,
        ),
        example={"number": 1, "pin": "…", "new_pin": "…"},
    )
    def post(self, request: Request) -> HttpResponse:
        body = self.read(PinChoiceIn)
        operators.operator_pin_choose(terminal=self.terminal, **body)
        return self.nothing()


class Session(ProvenTerminalView):
    authentication_for: ClassVar = {"delete": (OperatorToken,)}

    def identify(self, request: Request) -> dict[str, int]:
        if request.method != "DELETE":
            return super().identify(request)
        CredentialsView.identify(self, request)
        self.terminal = bare_terminal(self.credentials)
        return {"terminal": self.terminal.terminal_id}

    @operation(
        "Sign an operator on",
        "The terminal gets a new token as well.",
        body=OperatorSignOnIn,
        answer=OperatorSessionOut,
        status=201,
        problems=(operators.PinRefused, operators.PinNotOwn, Throttled),
        example={"number": 1, "pin": "…"},
    )
    def post(self, request: Request) -> HttpResponse:
        body = self.read(OperatorSignOnIn)
        signed_on = operators.operator_sign_on(terminal=self.terminal, **body)
        return self.answer(OperatorSessionOut, signed_on, 201)

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
