"""Return a terminal's own work: the contests it may sell, its last tickets, the totals of a day."""

import dataclasses
import datetime
from collections.abc import Sequence

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from core.database import clock
from core.database.reading.numbers import within
from core.kernel.days import day_bounds, natural_day
from core.periods.models import Retirement
from lototrot.engine.races import HIGHEST_NUMBER
from lototrot.models.contest import Contest, DisplayAcknowledgement
from lototrot.models.tickets import (
    LEG_COLUMNS,
    PrintConfirmation,
    Ticket,
    Unprinted,
    Void,
)
from lototrot.selectors.retired import left_of_terminal, staying


@dataclasses.dataclass(frozen=True, slots=True)
class DayTotals:
    """The sales of a terminal on a natural day, and those of them annulled as errors."""

    day: datetime.date
    tickets: int
    bets: int
    amount_cents: int
    annulled_tickets: int
    annulled_cents: int


def contests_on_sale(*, terminal_id: int, operator_id: int) -> QuerySet[Contest]:
    """Return the contests on sale now, those included whose sales are stopped [E12].

    `acknowledged` says whether the operator declared the display.
    """
    acknowledgements = DisplayAcknowledgement.objects.filter(
        contest=OuterRef("pk"), terminal_id=terminal_id, operator_id=operator_id
    )
    return (
        Contest.objects.filter(state__in=Contest.UNCLOSED, scheduled_close_at__gt=clock.now())
        .select_related("meeting", "bet_type", "publication")
        .annotate(acknowledged=Exists(acknowledgements))
        .order_by("scheduled_close_at", "pk")
    )


def print_confirmed() -> Q:
    """Return the condition on tickets whose print was confirmed."""
    here = PrintConfirmation.objects.filter(ticket=OuterRef("pk"))
    return Q(Exists(here)) | print_retired()


def print_retired() -> Q:
    """Return the condition on tickets whose confirmed print left with its month (ADR 38).

    In a retired month each ticket without one has an `Unprinted` row. Of voids it is not known.
    """
    month = Retirement.objects.filter(period__last_day__gte=OuterRef("contest__day"))
    unprinted = Unprinted.objects.filter(ticket=OuterRef("pk"))
    void = Void.objects.filter(ticket=OuterRef("pk"))
    return Q(Exists(month)) & Q(~Exists(unprinted)) & Q(~Exists(void))


def tickets_of_terminal(
    terminal_id: int,
    *,
    day: datetime.date | None = None,
    amount_cents: int | None = None,
    marks: Sequence[int] = (),
) -> QuerySet[Ticket]:
    """Return the terminal's tickets. `printed` and `voided` say what happened to each.

    `day` is a natural day of their sale; `marks` has a number for each leg from the first, 0 where
    any will do.
    """
    rows = Ticket.objects.filter(terminal_id=terminal_id)
    if day is not None:
        rows = rows.filter(within(Ticket, "sold_at", *day_bounds(day)))
    if amount_cents is not None:
        rows = rows.filter(amount_cents=amount_cents)
    if any(number > HIGHEST_NUMBER for number in marks):
        return rows.none()
    for column, number in zip(LEG_COLUMNS, marks, strict=False):
        if number:
            has = F(column).bitand(1 << (number - 1))
            rows = rows.alias(**{f"has_{column}": has}).filter(**{f"has_{column}__gt": 0})
    return rows.annotate(
        printed=print_confirmed(),
        voided=Exists(Void.objects.filter(ticket=OuterRef("pk"))),
    ).select_related("operator", "contest")


def terminal_totals(*, terminal_id: int, day: datetime.date | None) -> DayTotals:
    """Return the totals of a natural day by time of sale; of today if `day` is None."""
    day = day or natural_day(clock.now())
    of_the_day = within(Ticket, "sold_at", *day_bounds(day))
    sold = staying(Ticket.objects.filter(of_the_day, terminal_id=terminal_id))
    errors = sold.filter(void__reason=Void.Reason.ERROR)
    sums = sold.aggregate(bets=Coalesce(Sum("bets"), 0), cents=Coalesce(Sum("amount_cents"), 0))
    left = left_of_terminal(terminal_id, day)
    annulled = errors.aggregate(cents=Coalesce(Sum("amount_cents"), 0))
    return DayTotals(
        day=day,
        tickets=sold.count() + left.tickets + left.annulled_tickets,
        bets=sums["bets"] + left.bets + left.annulled_bets,
        amount_cents=sums["cents"] + left.amount_cents + left.annulled_cents,
        annulled_tickets=errors.count() + left.annulled_tickets,
        annulled_cents=annulled["cents"] + left.annulled_cents,
    )
