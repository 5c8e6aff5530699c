"""Read the figures of an emission for the public: totals only, and late enough to reveal nothing.

The figures shown are older than the last complete block sold (or than the last half of an emission
with one block). So when few tickets are left, nobody can tell which of the last prizes are among
them. No figure is given by block.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, QuerySet, Sum

from core.database.kept import kept
from core.database.reading.asking import fetch_all
from core.kernel.money import ceil_div
from promotrot.models.emission import Emission, PrizeTier, PublicFigures
from promotrot.models.play import PlayEnd
from promotrot.selectors.facts import emission_facts

KEPT_S = 60
_STEPS = 10
_MOST_STEPS = 200

SHOWN = (*Emission.ON_SALE, *Emission.OVER)


@dataclass(frozen=True, slots=True)
class TierFigures:
    """The figures of a tier. `count` and `remaining` are None if the player's acts decide."""

    tier: int
    value_cents: int
    thing: str
    extra: bool
    count: int | None
    awarded: int
    remaining: int | None


@dataclass(frozen=True, slots=True)
class Figures:
    """The published figures of an emission, as of an instant: at first its opening [P20].

    `top_prize_left` is None if no table says how many there are.
    """

    emission: Emission
    as_of: datetime
    tickets_remaining: int
    tiers: tuple[TierFigures, ...]
    top_prize_left: bool | None


def delay_tickets(emission: Emission) -> int:
    """Return how many tickets must be sold after a moment before its figures are public."""
    if emission.block_tickets < emission.tickets:
        return emission.block_tickets
    return ceil_div(emission.tickets, 2)


def sold_now(emission: Emission) -> int:
    """Return the number of tickets sold so far."""
    return int(emission.lanes.aggregate(sold=Sum("taken"))["sold"] or 0)


def awarded_now(emission_id: int) -> dict[str, int]:
    """Return the prizes awarded so far, by tier as text, for the keys of a JSON object."""
    ends = PlayEnd.objects.filter(ticket__emission=emission_id)
    counts: dict[str, int] = {}
    for column in ("tier", "extra_tier"):
        counted = ends.exclude(**{column: 0}).values_list(column).annotate(Count("pk"))
        counts |= {str(tier): count for tier, count in counted.order_by(column)}
    return counts


@kept(most=1_000, seconds=KEPT_S)
def awarded_in_ended(emission_id: int) -> dict[str, int]:
    """Return the prizes of an emission that has ended, as they were at most KEPT_S ago.

    Every play is counted for them, and strangers ask; few plays end afterwards [P19].
    """
    return awarded_now(emission_id)


def figures_due() -> list[int]:
    """Return the emissions on sale whose newest figures are one step behind the sale.

    A step is a tenth of the delay. There are at most about two hundred steps, because each counts
    every play.
    """
    return [pk for (pk,) in fetch_all(_DUE, {"steps": _STEPS, "most": _MOST_STEPS})]


_DUE = """
SELECT m.id FROM promotrot_emission m
 WHERE m.state IN ('open', 'stopped') AND (
        SELECT coalesce(sum(l.taken), 0) FROM promotrot_lane l WHERE l.emission_id = m.id)
    >= (SELECT coalesce(max(f.sold), 0) FROM promotrot_publicfigures f WHERE f.emission_id = m.id)
       + greatest(1, m.tickets / %(most)s, CASE
             WHEN m.block_tickets < m.tickets THEN m.block_tickets ELSE m.tickets / 2
             END / %(steps)s)
"""


def shown_emissions() -> QuerySet[Emission]:
    """Return the emissions that have been put on sale."""
    return Emission.objects.filter(state__in=SHOWN).select_related(
        "game__type", "opening", "closing"
    )


def public_figures(emission: Emission) -> Figures:
    """Return the figures that the public is told now. For a closed emission, all figures."""
    if emission.state in Emission.OVER:
        return _figures(
            emission,
            emission.closing.closed_at,
            sold_now(emission),
            awarded_in_ended(emission.pk),
        )
    newest = sold_now(emission) - delay_tickets(emission)
    published = PublicFigures.objects.filter(emission=emission, sold__lte=newest).order_by("-sold")
    latest = published.first()
    if latest is None:
        return _figures(emission, emission.opening.opened_at, 0, {})
    return _figures(emission, latest.taken_at, latest.sold, latest.awarded)


def public_document(figures: Figures, language: str) -> dict[str, Any]:
    """Return what the public is told of an emission, in a language."""
    emission = figures.emission
    facts = emission_facts(emission.pk)
    texts = facts.texts(language)
    return {
        "reference": emission.reference,
        "game": emission.game.code,
        "name": texts.name,
        "mode": emission.game.type.mode,
        "state": emission.state,
        "price_cents": emission.price_cents,
        "prize_percent": facts.prize_percent,
        "rules": texts.rules,
        "tickets": emission.tickets,
        "as_of": figures.as_of,
        "tickets_remaining": figures.tickets_remaining,
        "top_prize_left": figures.top_prize_left,
        "tiers": [
            {
                "tier": tier.tier,
                "value_cents": tier.value_cents,
                "extra": tier.extra,
                "thing": texts.prizes.get(tier.thing, ""),
                "count": tier.count,
                "awarded": tier.awarded,
                "remaining": tier.remaining,
            }
            for tier in figures.tiers
        ],
    }


def _figures(emission: Emission, as_of: datetime, sold: int, awarded: Mapping[str, int]) -> Figures:
    rows = [_tier(tier, awarded.get(str(tier.number), 0)) for tier in emission.tiers.all()]
    top = max(row.value_cents for row in rows)
    left = [row.remaining for row in rows if row.value_cents == top]
    return Figures(
        emission=emission,
        as_of=as_of,
        tickets_remaining=emission.tickets - sold,
        tiers=tuple(rows),
        top_prize_left=None if None in left else any(left),
    )


def _tier(tier: PrizeTier, awarded: int) -> TierFigures:
    return TierFigures(
        tier=tier.number,
        value_cents=tier.value_cents,
        thing=tier.thing,
        extra=tier.extra,
        count=tier.count,
        awarded=awarded,
        remaining=None if tier.count is None else tier.count - awarded,
    )
