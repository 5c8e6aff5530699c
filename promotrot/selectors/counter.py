"""Read what a terminal shows of Promotrot: emissions to sell or to finish, and the totals of a
day.
"""

import dataclasses
import datetime

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from core.database import clock
from core.database.reading.numbers import within
from core.kernel.days import day_bounds, natural_day
from promotrot.models.emission import Emission, Lane
from promotrot.models.game import DisplayAcknowledgement
from promotrot.models.play import PlayTicket
from promotrot.selectors.left import left_of_terminal, staying
from promotrot.selectors.plays import unfinished_at


@dataclasses.dataclass(frozen=True, slots=True)
class DayTotals:
    """The takings of a terminal on a natural day, and the awards of its plays that have ended."""

    day: datetime.date
    plays: int
    amount_cents: int
    ended: int
    awarded_cents: int


def emissions_at(terminal_id: int, operator_id: int) -> QuerySet[Emission]:
    """Return the emissions on sale and those of plays to be finished here. `on_sale` separates
    them.

    An emission is on sale while one of its lanes is open. `acknowledged` says whether the operator
    declared its game on display [P20].
    """
    playing = unfinished_at(terminal_id).values("emission_id")
    emissions = Emission.objects.annotate(
        on_sale=Exists(Lane.objects.filter(emission=OuterRef("pk"), open=True)),
        acknowledged=Exists(
            DisplayAcknowledgement.objects.filter(
                approval=OuterRef("approval"), terminal=terminal_id, operator=operator_id
            )
        ),
    )
    listed = emissions.filter(Q(on_sale=True) | Q(pk__in=playing)).select_related("opening")
    return listed.order_by("price_cents", "pk")


def terminal_day(*, terminal_id: int, day: datetime.date | None) -> DayTotals:
    """Return the totals of a natural day (default: today), by time of sale."""
    day = day or natural_day(clock.now())
    of_the_day = within(PlayTicket, "sold_at", *day_bounds(day))
    sold = staying(PlayTicket.objects.filter(of_the_day, terminal_id=terminal_id))
    left, left_cents = left_of_terminal(terminal_id, day)
    awarded = Sum("end__awarded_cents") + Sum("end__extra_cents")
    sums = sold.aggregate(
        plays=Count("pk"),
        cents=Coalesce(Sum("price_cents"), 0),
        ended=Count("end"),
        awarded=Coalesce(awarded, 0),
    )
    return DayTotals(
        day,
        sums["plays"] + left,
        sums["cents"] + left_cents,
        sums["ended"] + left,
        sums["awarded"],
    )
