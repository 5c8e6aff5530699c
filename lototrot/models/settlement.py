"""Store settlements, their prizes and the payment order (14.III.8, 14.III.9)."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key, one_to_one, unlocked_key
from core.staff.models import Proposal, User
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket


class Settlement(Guarded):
    """A settlement of one contest, with every figure that it used and computed.

    `figures` is the engine's distribution, `rules` the bet type as applied, and `races` the
    results. A correction under [B14] reverses a settlement; the row is kept.
    """

    mutable = ("in_force", "reversed_at", "reversed_by")

    uuid = models.UUIDField(_("UUID"), unique=True)
    contest = foreign_key(Contest, _("contest"), related_name="settlements", db_index=False)
    number = models.PositiveSmallIntegerField(_("number"))
    rules = models.JSONField(_("rules"))
    races = models.JSONField()
    tickets = models.BigIntegerField(_("tickets"))
    bets = models.BigIntegerField(_("bets"))
    winning_tickets = models.BigIntegerField(_("winning tickets"))
    takings_cents = models.BigIntegerField(_("takings"))
    jackpot_in_cents = models.BigIntegerField(_("jackpot carried in"))
    reserve_in_cents = models.BigIntegerField(_("reserve carried in"))
    lapsed_in_cents = models.BigIntegerField(_("lapsed prizes brought in"))
    prizes_cents = models.BigIntegerField(_("paid to players"))
    jackpot_out_cents = models.BigIntegerField(_("jackpot carried on"))
    reserve_out_cents = models.BigIntegerField(_("reserve carried on"))
    figures = models.JSONField()
    settled_at = models.DateTimeField(_("settled at"))
    in_force = models.BooleanField(_("in force"), default=True)
    reversed_at = models.DateTimeField(_("reversed at"), null=True)
    reversed_by = foreign_key(User, _("reversed by"), null=True)

    class Meta:
        verbose_name = _("settlement")
        verbose_name_plural = _("settlements")
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
    """A category of a settlement, named by its number of hits."""

    settlement = foreign_key(Settlement, _("settlement"), related_name="categories", db_index=False)
    hits = models.PositiveSmallIntegerField(_("races right"))
    winning_bets = models.BigIntegerField(_("winning bets"))
    prize_cents = models.BigIntegerField(_("prize"))
    total_cents = models.BigIntegerField(_("total"))

    class Meta:
        verbose_name = _("category")
        verbose_name_plural = _("categories")
        constraints = [
            models.UniqueConstraint(fields=["settlement", "hits"], name="settlement_category")
        ]

    def __str__(self) -> str:
        return str(self.hits)


class Prize(Guarded):
    """A winning ticket: its winning bets by category, highest first, and its total prize.

    These rows are the sub-ledger of the prizes payable. They are written and checked as a set. They
    have no foreign keys in the database, because checking millions of keys would take longer than
    the settlement, and the check of the set proves more.
    """

    retires = True
    looks_recorded = True

    settlement = unlocked_key(Settlement, _("settlement"), related_name="prizes")
    ticket = unlocked_key(Ticket, _("ticket"), related_name="prizes")
    winning_bets = ArrayField(models.IntegerField(), verbose_name=_("winning bets"))
    prize_cents = models.BigIntegerField(_("prize"))

    class Meta:
        verbose_name = _("prize")
        verbose_name_plural = _("prizes")
        constraints = [
            models.UniqueConstraint(fields=["settlement", "ticket"], name="prize_of_ticket"),
            models.CheckConstraint(condition=Q(prize_cents__gte=0), name="prize_not_negative"),
        ]

    def __str__(self) -> str:
        return str(self.ticket)

    def seen_as(self) -> tuple[str, object]:
        return "document", f"lototrot:{self.ticket_id}"


class PaymentOrder(Guarded):
    """The irrevocable order to pay the prizes of a contest (14.III.8.2).

    `claim_days` is the figure of the regulation that the last day to claim was computed with [D7].
    """

    contest = one_to_one(Contest, _("contest"), related_name="payment_order")
    settlement = one_to_one(Settlement, _("settlement"), related_name="payment_order")
    proposal = one_to_one(Proposal, _("proposal"))
    ordered_at = models.DateTimeField(_("ordered at"))
    results_day = models.DateField(_("day of the results"))
    first_pay_day = models.DateField(_("first day of payment"))
    last_claim_day = models.DateField(_("last day to claim"))
    claim_days = models.PositiveSmallIntegerField(_("days to claim"))

    class Meta:
        verbose_name = _("payment order")
        verbose_name_plural = _("payment orders")

    def __str__(self) -> str:
        return str(self.contest)


class Lapse(Guarded):
    """The lapse of all unclaimed prizes of a contest, after their last claim day (14.III.10.7)."""

    contest = one_to_one(Contest, _("contest"), related_name="lapse")
    uuid = models.UUIDField(_("UUID"), unique=True)
    last_claim_day = models.DateField(_("last day to claim"))
    prizes = models.BigIntegerField(_("prizes"))
    cents = models.BigIntegerField(_("amount"))
    lapsed_at = models.DateTimeField(_("lapsed at"))

    class Meta:
        verbose_name = _("lapse of unclaimed prizes")
        verbose_name_plural = _("lapses of unclaimed prizes")
        constraints = [
            models.CheckConstraint(
                condition=Q(prizes__gte=0, cents__gte=0), name="lapse_not_negative"
            )
        ]

    def __str__(self) -> str:
        return str(self.contest)


class CarryOver(Guarded):
    """Unclaimed prizes carried over into the 7/7 of the first meeting after their day [D3, C5].

    `day` is the last claim day of the prizes, or the day of their refusal. `contest` is the contest
    that receives them.
    """

    uuid = models.UUIDField(_("UUID"), unique=True)
    bet_type_code = models.CharField(_("bet type"), max_length=40)
    day = models.DateField(_("day"))
    contest = foreign_key(Contest, _("contest"), related_name="carry_overs")
    cents = models.BigIntegerField(_("amount"))
    carried_at = models.DateTimeField(_("carried over at"))

    class Meta:
        verbose_name = _("carry-over of unclaimed prizes")
        verbose_name_plural = _("carry-overs of unclaimed prizes")
        constraints = [models.CheckConstraint(condition=Q(cents__gt=0), name="carry_over_positive")]

    def __str__(self) -> str:
        return f"{self.contest} · {self.day}"
