"""Tell which tickets left with a retired month, and sum what they were (ADR 46, 57).

A ticket on which nobody has a right any more leaves the live store when its month is retired. Who
counts tickets counts those that stay, and adds the sums of those that left.
"""

import datetime
from dataclasses import dataclass

from django.db.models import BooleanField, F, Func, Max, Q, QuerySet

from core.database.reading.asking import fetch_row
from core.kernel.errors import Conflict
from core.payoffice.sources import DocumentArchived
from core.periods.models import RetiredRows, Retirement
from lototrot.models.retired import RetiredPrizes, RetiredSales
from lototrot.models.tickets import Ticket

RELATION = Ticket._meta.db_table

STAYS = f"""
({{ticket}} > (SELECT coalesce(max(r.last_row), 0) FROM periods_retiredrows r
              WHERE r.relation = '{RELATION}')
 OR NOT lototrot_ticket_leaves({{ticket}}))
"""
"""SQL of the condition that a ticket does not leave. A night deletes those that do, so they may
still be there, and so may what follows from a ticket that is gone."""
_SUMS = """
SELECT coalesce(sum(tickets), 0)::bigint, coalesce(sum(bets), 0)::bigint,
       coalesce(sum(amount_cents), 0)::bigint, coalesce(sum(annulled_tickets), 0)::bigint,
       coalesce(sum(annulled_bets), 0)::bigint, coalesce(sum(annulled_cents), 0)::bigint
  FROM lototrot_left_by_terminal WHERE {which}
"""


@dataclass(frozen=True, slots=True)
class Left:
    """The valid tickets of a contest that left, and the prizes of its settlement that they won.

    `winning_bets` are by category, highest first.
    """

    tickets: int
    bets: int
    amount_cents: int
    winning_tickets: int = 0
    prize_cents: int = 0
    winning_bets: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Sums:
    """Sums of tickets that left: of valid ones, and of those that were annulled as errors."""

    tickets: int
    bets: int
    amount_cents: int
    annulled_tickets: int
    annulled_bets: int
    annulled_cents: int


class TicketsArchived(Conflict):
    """`data` has the contest, and for each month of its archives where copies are kept."""

    code = "tickets_archived"
    message = (
        "Tickets of this contest on which nobody has a right any more have left with their month."
        " They are in the archives of that month."
    )


def stays(ticket: str = "t.id") -> str:
    """Return SQL of the condition that the ticket with an id, which is SQL, does not leave."""
    return STAYS.format(ticket=ticket)


def staying(tickets: QuerySet[Ticket]) -> QuerySet[Ticket]:
    """Return those of some tickets that do not leave."""
    retired = RetiredRows.objects.filter(relation=RELATION).aggregate(last=Max("last_row"))["last"]
    leaves = Func(F("pk"), function="lototrot_ticket_leaves", output_field=BooleanField())
    return tickets.alias(leaves=leaves).filter(Q(pk__gt=retired or 0) | Q(leaves=False))


def left(contest_id: int) -> Left | None:
    """Return what left of the valid tickets of a contest; None if no ticket left, valid or not."""
    sums = _sums("contest_id = %s", contest_id)
    if not sums.tickets + sums.annulled_tickets:
        return None
    prizes = list(RetiredPrizes.objects.filter(contest=contest_id))
    winning_bets = zip(*(prize.winning_bets for prize in prizes), strict=True)
    return Left(
        sums.tickets,
        sums.bets,
        sums.amount_cents,
        winning_tickets=sum(prize.tickets for prize in prizes),
        prize_cents=sum(prize.prize_cents for prize in prizes),
        winning_bets=tuple(map(sum, winning_bets)),
    )


def annulled_left(contest_id: int) -> int:
    """Return how many tickets of a contest left that were annulled as errors."""
    return _sums("contest_id = %s", contest_id).annulled_tickets


def left_of_terminal(terminal_id: int, day: datetime.date) -> Sums:
    """Return what left of the tickets that a terminal sold on a natural day."""
    return _sums("terminal_id = %s AND day = %s", terminal_id, day)


def _sums(which: str, *values: int | datetime.date) -> Sums:
    return Sums(*fetch_row(_SUMS.format(which=which), values))


def kept_where(contest_id: int) -> dict[str, str]:
    """Return, by month, where copies of the archives are that have the tickets that left."""
    months = RetiredSales.objects.filter(contest=contest_id).values("retired__retirement")
    retirements = Retirement.objects.filter(pk__in=months).select_related("period")
    return {str(each.period): each.kept for each in retirements.order_by("period__number")}


def need_all(contest_id: int) -> None:
    """Raise TicketsArchived if tickets of a contest left: it cannot be counted ticket by ticket."""
    months = kept_where(contest_id)
    if months:
        raise TicketsArchived(contest=contest_id, archives=months)


def need_none_left() -> None:
    """Raise DocumentArchived if tickets of any month left. Call it for a ticket that is not there.

    The code of a ticket is authentic or refused before, so what is not there was sold once, or its
    sale was refused: the archive tells which.
    """
    of_tickets = RetiredRows.objects.filter(relation=RELATION)
    last_day = of_tickets.aggregate(day=Max("retirement__period__last_day"))["day"]
    if last_day is not None:
        raise DocumentArchived(last_day=last_day.isoformat())
