"""Declare the bodies and answers of checks, payments, presentations and deposits."""

from typing import Annotated, Literal

from msgspec import Meta
from rest_framework import serializers

from core.api.bodies import Body, PlainText, Positive, RequestUuidText, SecretText, UuidText
from core.api.shapes import (
    Cents,
    Choice,
    Day,
    Instant,
    RequestUuid,
    Secret,
    Shape,
    Text,
    Uuid,
    Whole,
)
from core.kernel.regulation import Bearer, Duty, Means, Place
from core.payoffice.judging import DocumentState
from core.payoffice.models import Deposit
from core.payoffice.sources import Nature
from core.premises.models import Game

MAX_CODE_CHARS = 96


class CodeIn(Body, frozen=True):
    code: Annotated[SecretText, Meta(max_length=MAX_CODE_CHARS, description="As scanned or typed.")]


class ThingOut(Shape):
    item = serializers.CharField()
    description = serializers.CharField()


class PresentedOut(Shape):
    """A presented document. The amount shows once payment is ordered (14.III.8)."""

    state = Choice([state.value for state in DocumentState])
    stage = serializers.CharField(
        help_text="Of a sold document: on_sale, awaiting_results, …; or empty."
    )
    game = Choice(Game.values)
    bearer = Choice([bearer.value for bearer in Bearer])
    document = Uuid()
    nature = Choice([nature.value for nature in Nature])
    amount_cents = Cents(help_text="The amount owed, or owed and paid; 0 where nothing is.")
    first_pay_day = Day(allow_null=True)
    last_claim_day = Day(allow_null=True, help_text="Null: it never lapses.")
    places = serializers.ListField(
        child=Choice([place.value for place in Place]), help_text="The places that must or may pay."
    )
    must_places = serializers.ListField(
        child=Choice([place.value for place in Place]),
        help_text="Those of them that must. One that refuses can be reported.",
    )
    issuer_must = serializers.BooleanField(help_text="The premises that issued it must pay, too.")
    means = Choice([means.value for means in Means], allow_null=True)
    presentable = serializers.BooleanField(
        help_text="It can be presented or deposited now, so that it does not lapse."
    )
    thing = ThingOut(allow_null=True, help_text="A prize in kind, or its equivalent in money.")


class DutyOut(PresentedOut):
    """A document that was checked where it could be paid."""

    duty = Choice(
        [duty.value for duty in Duty],
        allow_null=True,
        help_text="Whether an amount like this must, may or must not be paid here.",
    )


class PaidEarlierOut(Shape):
    at = Instant()
    here = serializers.BooleanField(help_text="It was paid at the premises of this terminal.")


class CheckOut(DutyOut):
    refusal = serializers.CharField(
        help_text="The problem code that paying it here would meet now; empty: it is paid here."
    )
    details = serializers.DictField(
        help_text="Facts of the game: bets, substitution trace, winning combinations."
    )
    paid = PaidEarlierOut(
        allow_null=True, help_text="Of a document that was paid or exchanged; otherwise null."
    )


class HolderOut(PresentedOut):
    details = serializers.DictField(help_text="Bets, their substitution trace, prizes.")


class PayeeIn(Body, frozen=True):
    name: Annotated[PlainText, Meta(max_length=120)]
    document_kind: Literal["dni", "nie", "passport", "other"]
    document_number: Annotated[PlainText, Meta(max_length=40)]


class PaymentIn(Body, frozen=True):
    """A payment, as the operator sees it after a check."""

    uuid: Annotated[
        RequestUuidText, Meta(description="Made and kept by the client before the first attempt.")
    ]
    amount_cents: Annotated[Positive, Meta(description="As the check showed it.")]
    intact: Annotated[
        bool, Meta(description="The paper agrees with the check; not torn nor amended (10.3).")
    ]
    code: Annotated[SecretText, Meta(max_length=MAX_CODE_CHARS)] = ""
    deposit: Annotated[
        UuidText | None,
        Meta(
            description="The receipt of a deposited document that was granted, instead of a code."
        ),
    ] = None
    payee: Annotated[PayeeIn | None, Meta(description="For nominative cheques only.")] = None


class TerminalPaymentIn(PaymentIn, frozen=True):
    """A payment at a terminal."""

    second_session: Annotated[
        SecretText,
        Meta(
            max_length=96,
            description=("Session token of another operator, signed on here; for large amounts."),
        ),
    ] = ""


class PaymentOut(Shape):
    uuid = Uuid()
    game = Choice(Game.values)
    document = Uuid()
    amount_cents = Cents()
    means = Choice([means.value for means in Means])
    paid_at = Instant()
    cheque = Whole(allow_null=True, help_text="Number of the cheque, for a nominative cheque.")


class PresentationIn(CodeIn, frozen=True):
    intact: bool


class PresentationOut(Shape):
    receipt = Uuid(source="uuid")
    presented_at = Instant()
    amount_cents = Cents(
        source="claim.amount_cents", help_text="0 before the payment order: it is not known yet."
    )


class DepositIn(Shape):
    uuid = RequestUuid(help_text="Made and kept by the client; the number of the receipt.")
    code = Secret(max_length=96, required=False, default="", help_text="Where it can be read.")
    reason = Choice(Deposit.Reason.values)
    notes = Text(max_length=1000, required=False, default="", allow_blank=True)


class DepositOut(Shape):
    receipt = Uuid(source="uuid")
    reason = Choice(Deposit.Reason.values)
    notes = serializers.CharField()
    deposited_at = Instant()
    matched = serializers.SerializerMethodField()

    def get_matched(self, deposit: Deposit) -> bool:
        return hasattr(deposit, "match")


class ImageIn(Shape):
    media_type = Choice(("image/jpeg", "image/png"))
    content = serializers.CharField(max_length=5_000_000, help_text="Base64; at most 3 MB.")


class ImageOut(Shape):
    image = Uuid(source="uuid")
    media_type = serializers.CharField()
    kept_until = Day()
