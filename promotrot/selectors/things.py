"""Read the things that emissions promise: their valuations, and the stock that is short [P21]."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Count, Max

from core.payoffice.models import Claim, StockItem
from core.payoffice.services.goods import stock_units
from core.premises.models import Game
from promotrot.engine.rules import Valued
from promotrot.models.emission import Emission, PrizeTier
from promotrot.models.play import PlayEnd
from promotrot.models.voucher import Voucher

PROMISED = (
    Emission.State.DRAFT,
    Emission.State.COMMITTED,
    Emission.State.MIXED,
    Emission.State.OPEN,
    Emission.State.STOPPED,
)


@dataclass(frozen=True, slots=True)
class Shortage:
    """A thing of which the stock has fewer units than may be won and are won and not fetched."""

    thing: str
    needed: int
    in_stock: int


def valuations_of(emission: Emission) -> list[Valued]:
    """Return the newest valuation of each tier of things, in the order of the tiers."""
    tiers = emission.tiers.exclude(thing="").annotate(newest=Max("valuations__valued_on"))
    return [Valued(tier.number, tier.thing, tier.newest) for tier in tiers.order_by("number")]


def shortages_of(emission: Emission) -> list[Shortage]:
    """Return the things of an emission that is planned or on sale of which the stock is short."""
    if emission.state not in PROMISED:
        return []
    things = emission.tiers.exclude(thing="").order_by("thing").values_list("thing", flat=True)
    return list(_short(dict.fromkeys(things)))


def _short(things: dict[str, None]) -> Iterator[Shortage]:
    for thing in things:
        item = StockItem.objects.filter(code=thing).first()
        in_stock = stock_units(item) if item else 0
        needed = _to_be_won(thing) + _to_be_fetched(thing)
        if needed > in_stock:
            yield Shortage(thing, needed, in_stock)


def _to_be_won(thing: str) -> int:
    """Return how many units can still be won; one at least where the play decides."""
    units = 0
    for tier in PrizeTier.objects.filter(thing=thing, emission__state__in=PROMISED):
        if tier.count is None:
            units += 1
            continue
        ends = PlayEnd.objects.filter(ticket__emission=tier.emission_id)
        column = "extra_tier" if _is_extra_of_a_play(tier) else "tier"
        won = ends.filter(**{column: tier.number}).aggregate(plays=Count("pk"))["plays"]
        units += tier.count - won
    return units


def _is_extra_of_a_play(tier: PrizeTier) -> bool:
    return tier.extra and PrizeTier.objects.filter(emission=tier.emission_id, count=None).exists()


def _to_be_fetched(thing: str) -> int:
    """Return how many vouchers of the thing wait to be exchanged or paid."""
    claims = Claim.objects.filter(game=Game.PROMOTROT).exclude(
        state__in=(Claim.State.PRESENTED, Claim.State.HELD, Claim.State.GRANTED)
    )
    vouchers = Voucher.objects.filter(thing=thing)
    return vouchers.exclude(pk__in=claims.values("document_id")).count()
