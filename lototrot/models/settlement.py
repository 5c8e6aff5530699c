"""Settlements, their prizes, and the payment order (14.III.8, 14.III.9)."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded
from core.staff.models import Proposal, User
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket


class Settlement(Guarded):
    """One run of the rules over one contest, with every figure it used and made.

    `figures` is the engine's whole distribution; `rules` the bet type as applied; `races` the
    results it stood on. A correction under [B14] reverses a settlement, which is kept.
    """

    mutable = ("in_force", "reversed_at", "reversed_by")

    uuid = models.UUIDField(unique=True)
    contest = models.ForeignKey(Contest, models.PROTECT, related_name="settlements")
    number = models.PositiveSmallIntegerField()
    rules = models.JSONField()
    races = models.JSONField()
    tickets = models.BigIntegerField()
    bets = models.BigIntegerField()
    winning_tickets = models.BigIntegerField()
    takings_cents = models.BigIntegerField()
    jackpot_in_cents = models.BigIntegerField()
    reserve_in_cents = models.BigIntegerField()
    lapsed_in_cents = models.BigIntegerField()
    prizes_cents = models.BigIntegerField()
    jackpot_out_cents = models.BigIntegerField()
    reserve_out_cents = models.BigIntegerField()
    figures = models.JSONField()
    settled_at = models.DateTimeField()
    in_force = models.BooleanField(default=True)
    reversed_at = models.DateTimeField(null=True)
    reversed_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")

    class Meta:
        verbose_name = _("settlement")
        constraints = [
            models.UniqueConstraint(
                fields=["contest"], condition=Q(in_force=True), name="settlement_in_force"
            ),
            models.UniqueConstraint(fields=["contest", "number"], name="settlement_number"),
            models.CheckConstraint(
                condition=Q(in_force=True, reversed_at=None, reversed_by=None)
                | Q(in_force=False, reversed_at__isnull=False, reversed_by__isnull=False),
                name="settlement_reversed_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.contest} · {self.number}"


class SettlementCategory(Guarded):
    """A category of a settlement, by the number of races it takes."""

    settlement = models.ForeignKey(Settlement, models.PROTECT, related_name="categories")
    hits = models.PositiveSmallIntegerField()
    winning_bets = models.BigIntegerField()
    prize_cents = models.BigIntegerField()
    total_cents = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["settlement", "hits"], name="settlement_category")
        ]

    def __str__(self) -> str:
        return str(self.hits)


class Prize(Guarded):
    """A winning ticket: its bets by category, highest first, and what it wins in all.

    The sub-ledger of the prizes payable, written and checked as a set; so many rows in one go
    that their foreign keys would cost more than the settlement, and the set check proves more.
    """

    settlement = models.ForeignKey(
        Settlement, models.PROTECT, related_name="prizes", db_constraint=False, db_index=False
    )
    ticket = models.ForeignKey(
        Ticket, models.PROTECT, related_name="prizes", db_constraint=False, db_index=False
    )
    winning_bets = ArrayField(models.IntegerField())
    prize_cents = models.BigIntegerField()

    class Meta:
        verbose_name = _("prize")
        constraints = [
            models.UniqueConstraint(fields=["settlement", "ticket"], name="prize_of_ticket"),
            models.CheckConstraint(condition=Q(prize_cents__gte=0), name="prize_not_negative"),
        ]

    def __str__(self) -> str:
        return str(self.ticket)


class PaymentOrder(Guarded):
    """The irrevocable order that prizes be paid (14.III.8.2)."""

    contest = models.OneToOneField(Contest, models.PROTECT, related_name="payment_order")
    settlement = models.OneToOneField(Settlement, models.PROTECT, related_name="payment_order")
    proposal = models.OneToOneField(Proposal, models.PROTECT, related_name="+")
    ordered_at = models.DateTimeField()
    results_day = models.DateField()
    first_pay_day = models.DateField()
    last_claim_day = models.DateField()

    class Meta:
        verbose_name = _("payment order")

    def __str__(self) -> str:
        return str(self.contest)


class Lapse(Guarded):
    """The unclaimed prizes of a contest, lapsed all together after their last day (14.III.10.7)."""

    contest = models.OneToOneField(Contest, models.PROTECT, related_name="lapse")
    uuid = models.UUIDField(unique=True)
    last_claim_day = models.DateField()
    prizes = models.BigIntegerField()
    cents = models.BigIntegerField()
    lapsed_at = models.DateTimeField()

    class Meta:
        verbose_name = _("lapse")
        constraints = [
            models.CheckConstraint(
                condition=Q(prizes__gte=0, cents__gte=0), name="lapse_not_negative"
            )
        ]

    def __str__(self) -> str:
        return str(self.contest)


class CarryOver(Guarded):
    """Unclaimed prizes carried over into the 7/7 of the first meeting after their day [D3, C5].

    `day` is their last day to claim, or that of the refusal; `contest` the meeting's.
    """

    uuid = models.UUIDField(unique=True)
    bet_type_code = models.CharField(_("bet type"), max_length=40)
    day = models.DateField(_("lapsed on"))
    contest = models.ForeignKey(Contest, models.PROTECT, related_name="carry_overs")
    cents = models.BigIntegerField(_("amount (cents)"))
    carried_at = models.DateTimeField(_("placed at"))

    class Meta:
        verbose_name = _("placement of unclaimed prizes")
        constraints = [models.CheckConstraint(condition=Q(cents__gt=0), name="carry_over_positive")]

    def __str__(self) -> str:
        return f"{self.contest} · {self.day}"
