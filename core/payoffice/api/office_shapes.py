"""Declare the bodies and answers of the prize office's desk."""

from rest_framework import serializers

from core.api.shapes import (
    Cents,
    Choice,
    Day,
    Flag,
    Instant,
    PageQuery,
    RequestUuid,
    Secret,
    Shape,
    Text,
    Uuid,
)
from core.payoffice import selectors
from core.payoffice.api.claim_shapes import DepositOut, DutyOut, ImageOut, PaymentOut
from core.payoffice.models import Deposit, Ruling
from core.payoffice.services import checking
from core.premises.models import Game
from core.staff.api.proposals import ProposalOut


class DocumentIn(Shape):
    code = Secret(max_length=96, required=False, default="")
    deposit = Uuid(
        required=False, allow_null=True, default=None, help_text="Receipt of a deposit, instead."
    )


class HappenedOut(Shape):
    what = serializers.CharField()
    at = Instant()
    premises = serializers.CharField()
    means = serializers.CharField(help_text="Of a payment; else empty.")


class DeskOut(DutyOut):
    refusal = serializers.CharField(
        allow_null=True,
        help_text="The problem code that paying it at one's session would meet; null without one.",
    )
    happened = HappenedOut(many=True)
    actions = serializers.ListField(
        child=Choice(checking.DeskAction.values),
        help_text="The acts this person may do now, the likeliest first.",
    )
    details = serializers.DictField()


class DeskPaymentOut(Shape):
    payment = PaymentOut(allow_null=True)
    proposal = ProposalOut(allow_null=True, help_text="Another person confirms it.")


class PaymentRowOut(Shape):
    uuid = Uuid()
    game = serializers.CharField(source="claim.game")
    amount_cents = Cents()
    means = serializers.CharField()
    place = serializers.CharField()
    premises = serializers.CharField(source="premises.code")
    terminal = serializers.CharField(source="terminal.code", allow_null=True, default=None)
    cashier = serializers.CharField(source="staff", allow_null=True, default=None)
    paid_at = Instant()


class PaymentQuery(PageQuery):
    premises = Text(max_length=20, default="", required=False)


class ImageOfDepositOut(ImageOut):
    added_at = Instant()
    purged_at = Instant(allow_null=True)


class DepositRowOut(DepositOut):
    premises = serializers.CharField(source="premises.code")
    paper_at = serializers.SerializerMethodField(help_text="Code of the premises where it is now.")
    state = serializers.CharField(
        source="match.claim.state", allow_null=True, default=None, help_text="Of what it matched."
    )
    amount_cents = Cents(source="match.claim.amount_cents", allow_null=True, default=None)
    images = ImageOfDepositOut(many=True, source="images.all")

    def get_paper_at(self, deposit: Deposit) -> str:
        return selectors.paper_at(deposit).code


class DepositQuery(PageQuery):
    waiting = Flag(default=True, help_text="false: those decided, too.")


class ArrivalIn(Shape):
    premises = Text(max_length=20, help_text="Code of the office where the paper is now.")


class ArrivalOut(Shape):
    deposit = Uuid(source="deposit.uuid")
    premises = serializers.CharField(source="premises.code")
    arrived_at = Instant()


class MatchIn(Shape):
    game = Choice(Game.values)
    document = Uuid(help_text="The UUID of the ticket or voucher, from the records.")
    evidence = Text(max_length=400)


class MatchOut(Shape):
    deposit = Uuid(source="deposit.uuid")
    amount_cents = Cents(source="claim.amount_cents")
    matched_at = Instant()


class RulingIn(Shape):
    """A ruling on a deposit, or on a blocked document."""

    deposit = Uuid(required=False, allow_null=True, default=None)
    game = Text(max_length=20, required=False, default="")
    document = Uuid(required=False, allow_null=True, default=None)
    verdict = Choice(Ruling.Verdict.values)
    reason = Text(max_length=400)


class WaitingOut(Shape):
    deposit = Uuid(allow_null=True)
    game = serializers.CharField()
    document = Uuid(allow_null=True)
    amount_cents = Cents()
    since = Day()


class WaitingListOut(Shape):
    items = WaitingOut(many=True)


class ExchangeIn(Shape):
    uuid = RequestUuid(help_text="Made and kept by the client before the first attempt.")
    code = Secret(max_length=96, required=False, default="")
    deposit = Uuid(required=False, allow_null=True, default=None)
    intact = Flag()


class ExchangeOut(Shape):
    uuid = Uuid()
    item = serializers.CharField(source="item.code")
    description = serializers.CharField(source="item.description")
    exchanged_at = Instant()


class DeskExchangeOut(Shape):
    exchange = ExchangeOut(allow_null=True)
    proposal = ProposalOut(allow_null=True)
