"""Store sums of the tickets that left the live store with a retired month (ADR 46, 57)."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from core.database.models import Guarded, foreign_key
from core.payoffice.models import Claim
from core.periods.models import RetiredRows
from lototrot.models.contest import Contest
from lototrot.models.settlement import Settlement


class OfRetiredTickets(Guarded):
    """Base of what the database writes of a contest's tickets when they are retired."""

    inserted_by_application = False

    contest = foreign_key(Contest, _("contest"))
    retired = foreign_key(RetiredRows, _("retired rows"), db_index=False)

    class Meta:
        abstract = True


class RetiredSales(OfRetiredTickets):
    """The tickets of a contest that left with a retired month, as sums of terminals (ADR 46, 74).

    Of a day of sale; a row has up to 128 terminals, and each array one sum of each of them. The
    view `lototrot_left_by_terminal` has a row for each. The database writes them when the tickets
    are retired. From then on every count of tickets adds these sums to the tickets that stay.
    `tickets`, `bets` and `amounts_cents` are of valid tickets, the `annulled_` ones of errors
    (ADR 52). No other void ticket leaves.
    """

    day = models.DateField(_("day"))
    premises = ArrayField(models.BigIntegerField(), verbose_name=_("premises"))
    terminals = ArrayField(models.BigIntegerField(), verbose_name=_("terminals"))
    tickets = ArrayField(models.BigIntegerField(), verbose_name=_("tickets"))
    bets = ArrayField(models.BigIntegerField(), verbose_name=_("bets"))
    amounts_cents = ArrayField(models.BigIntegerField(), verbose_name=_("amounts in cents"))
    annulled_tickets = ArrayField(models.BigIntegerField(), verbose_name=_("annulled tickets"))
    annulled_bets = ArrayField(models.BigIntegerField(), verbose_name=_("annulled bets"))
    annulled_cents = ArrayField(models.BigIntegerField(), verbose_name=_("annulled"))

    class Meta:
        verbose_name = _("sums of tickets that left")
        verbose_name_plural = _("sums of tickets that left")
        indexes = [BrinIndex(fields=["day"], name="retired_sales_day", autosummarize=True)]

    def __str__(self) -> str:
        return f"{self.contest} · {self.day}"

    def by_terminal(self) -> list[dict[str, int]]:
        """Return the sums of each terminal, as the view names them."""
        named = {
            "premises": self.premises,
            "terminal": self.terminals,
            "tickets": self.tickets,
            "bets": self.bets,
            "amount_cents": self.amounts_cents,
            "annulled_tickets": self.annulled_tickets,
            "annulled_bets": self.annulled_bets,
            "annulled_cents": self.annulled_cents,
        }
        return [dict(zip(named, sums, strict=True)) for sums in zip(*named.values(), strict=True)]


class RetiredMarks(OfRetiredTickets):
    """The bets on each number of a leg, of the tickets of a contest that left with a retired month.

    A ticket's bets are divided equally over the numbers that it marks in the leg. `bets` has a sum
    for each number that a ticket can mark, from 1 on, and 0 where none did. The view
    `lototrot_left_by_number` has a row for each.
    """

    leg = models.PositiveSmallIntegerField(_("position"))
    bets = ArrayField(models.BigIntegerField(), verbose_name=_("bets"))

    class Meta:
        verbose_name = _("bets of tickets that left")
        verbose_name_plural = _("bets of tickets that left")
        constraints = [models.CheckConstraint(condition=Q(leg__gte=1), name="retired_marks_of_leg")]

    def __str__(self) -> str:
        return f"{self.contest} · {self.leg}"


class RetiredPrizes(OfRetiredTickets):
    """The prizes of a settlement whose tickets left with a retired month, as sums (ADR 57).

    By the state in which their claims ended: paid; lapsed, with the day from which the money was
    carried over; or none, of prizes of nothing. `winning_bets` are by category, highest first.
    """

    settlement = foreign_key(Settlement, _("settlement"), db_index=False)
    state = models.CharField(_("state"), max_length=10, choices=Claim.State.choices, blank=True)
    day = models.DateField(_("day"), null=True)
    tickets = models.BigIntegerField(_("tickets"))
    winning_bets = ArrayField(models.BigIntegerField(), verbose_name=_("winning bets"))
    prize_cents = models.BigIntegerField(_("prize"))

    class Meta:
        verbose_name = _("sums of prizes that left")
        verbose_name_plural = _("sums of prizes that left")
        constraints = [
            models.CheckConstraint(
                condition=Q(state="paid", day=None, tickets__gte=1, prize_cents__gte=1)
                | Q(state="lapsed", day__isnull=False, tickets__gte=1, prize_cents__gte=1)
                | Q(state="", day=None, tickets__gte=1, prize_cents=0),
                name="retired_prizes_ended",
            )
        ]

    def __str__(self) -> str:
        return f"{self.settlement} · {self.get_state_display()}"
