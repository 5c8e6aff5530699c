"""Contribute Lototrot to day files: tickets, the course, settlements, lapses, and their figures."""

from collections.abc import Iterator
from typing import Any

from django.db.models import Sum

from core.reports.parts import Part, Span
from lototrot.day.context import context
from lototrot.day.events import events
from lototrot.day.replays import REPLAYS
from lototrot.models.settlement import CarryOver, Lapse, Prize, Settlement


def figures(span: Span) -> Iterator[tuple[str, Any]]:
    """Yield each settlement of the day with its prizes, the lapses and the carry-overs."""
    settlements = Settlement.objects.filter(settled_at__gte=span.since, settled_at__lt=span.until)
    for settlement in settlements.order_by("contest", "number"):
        prizes = Prize.objects.filter(settlement=settlement)
        yield (
            f"settlement {settlement.contest_id}.{settlement.number}",
            {
                "tickets": settlement.tickets,
                "bets": settlement.bets,
                "figures": settlement.figures,
                "races": settlement.races,
                "winning_tickets": prizes.count(),
                "prizes_cents": prizes.aggregate(cents=Sum("prize_cents"))["cents"] or 0,
            },
        )
    for lapse in Lapse.objects.filter(lapsed_at__gte=span.since, lapsed_at__lt=span.until):
        yield f"lapse {lapse.contest_id}", [lapse.prizes, lapse.cents]
    carried = CarryOver.objects.filter(carried_at__gte=span.since, carried_at__lt=span.until)
    for row in carried.order_by().values("contest", "day").annotate(cents=Sum("cents")):
        yield f"carried over {row['contest']} {row['day']}", row["cents"]


DAY_PARTS: tuple[Part, ...] = (
    Part(name="lototrot", context=context, events=events, figures=figures, replays=REPLAYS),
)
