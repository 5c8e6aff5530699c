"""Simulate players who bet like the real ones, for demonstrations and benchmarks.

The bet shares of a race decide how often each number is marked. As in real multiple tickets, a race
with a clear favourite often gets one mark and an open race many. All randomness comes from the
`random.Random` that is passed in: the same seed gives the same tickets.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate, islice
from math import log, prod
from random import Random

from lototrot.engine.hits import bets_in
from lototrot.engine.races import numbers_of

Shares = Sequence[Mapping[int, int]]
"""For each race, the share of the bets by programme number; only the proportions count."""

_POOL = 8_192  # masks drawn for one race; its tickets then take one of them at random
_BATCH = 4_096
_SHARPEN = 1.25  # several marks even the shares out; with this the bets are near the real ones
_STEPS = 60  # halvings that bring the mean number of bets to the last bits of a float


class Kind(StrEnum):
    """The kind of a ticket: one bet, several bets, or numbers drawn centrally."""

    SINGLE = "single"
    MULTIPLE = "multiple"
    QUICK_PICK = "quick_pick"


@dataclass(frozen=True, slots=True)
class Selection:
    """The selection of a ticket: `numbers` by race, ascending; empty for a quick pick."""

    kind: Kind
    numbers: tuple[tuple[int, ...], ...]


def selections(
    rng: Random,
    shares: Shares,
    *,
    singles: int = 0,
    multiples: int = 0,
    quick_picks: int = 0,
    mean_bets: int = 60,
    max_bets: int = 10_000,
) -> Iterator[Selection]:
    """Return that many tickets of each kind, shuffled.

    `mean_bets` and `max_bets` are those of a multiple ticket.
    """
    single = single_masks(rng, shares, singles)
    multiple = (
        multiple_masks(rng, shares, multiples, mean_bets=mean_bets, max_bets=max_bets)
        if multiples
        else iter(())
    )
    kinds = [Kind.SINGLE] * singles + [Kind.MULTIPLE] * multiples + [Kind.QUICK_PICK] * quick_picks
    rng.shuffle(kinds)
    for kind in kinds:
        if kind is Kind.QUICK_PICK:
            yield Selection(kind, ())
        else:
            masks = next(single if kind is Kind.SINGLE else multiple)
            yield Selection(kind, tuple(map(numbers_of, masks)))


def single_masks(rng: Random, shares: Shares, count: int) -> Iterator[tuple[int, ...]]:
    """Return single tickets as masks: for each race one bit (number n is bit n-1)."""
    masks = [[1 << (number - 1) for number in race] for race in shares]
    weights = [list(race.values()) for race in shares]
    for start in range(0, count, _BATCH):
        size = min(_BATCH, count - start)
        columns = [
            rng.choices(race, weights=weight, k=size)
            for race, weight in zip(masks, weights, strict=True)
        ]
        yield from zip(*columns, strict=True)


def multiple_masks(
    rng: Random, shares: Shares, count: int, *, mean_bets: int = 60, max_bets: int = 10_000
) -> Iterator[tuple[int, ...]]:
    """Return multiple tickets as masks: 2 to `max_bets` bets each, about `mean_bets` on average.

    Raises ValueError if no ticket could have that many bets.
    """
    if not 2 <= mean_bets <= min(max_bets, prod(map(len, shares))):
        raise ValueError(f"multiple tickets cannot have {mean_bets} bets on average")
    return islice(_multiples(rng, shares, mean_bets, max_bets), count)


def _multiples(
    rng: Random, shares: Shares, mean_bets: int, max_bets: int
) -> Iterator[tuple[int, ...]]:
    appetites = _appetites(shares, mean_bets)
    pools = [
        list(_marks(rng, race, appetite, _POOL))
        for race, appetite in zip(shares, appetites, strict=True)
    ]
    while True:
        columns = [rng.choices(pool, k=_BATCH) for pool in pools]
        for masks in zip(*columns, strict=True):
            if 2 <= bets_in(masks) <= max_bets:
                yield masks


def _marks(rng: Random, race: Mapping[int, int], appetite: float, players: int) -> Iterator[int]:
    """Return the masks of that many players' marks in a race.

    `appetite` decides how many numbers are marked, the bet shares which ones.
    """
    counts = range(1, len(race) + 1)
    weights = list(accumulate(_count_weights(appetite, len(race))))
    rates = [(max(share, 1) ** _SHARPEN, 1 << (number - 1)) for number, share in race.items()]
    random = rng.random
    for _ in range(players):
        (count,) = rng.choices(counts, cum_weights=weights)
        # Taking the smallest exponential waiting times is a weighted draw without replacement.
        waits = sorted([(-log(1.0 - random()) / rate, bit) for rate, bit in rates])
        yield sum([bit for _, bit in waits[:count]])


def _count_weights(appetite: float, runners: int) -> list[float]:
    return [appetite**extra for extra in range(runners)]


def _mean_count(appetite: float, runners: int) -> float:
    weights = _count_weights(appetite, runners)
    return sum(count * weight for count, weight in enumerate(weights, start=1)) / sum(weights)


def _appetites(shares: Shares, mean_bets: int) -> list[float]:
    """Return, for each race, the likelihood of one mark more over one less; open races get more."""
    openness = []
    for race in shares:
        total = sum(race.values())
        openness.append(1 - sum((share / total) ** 2 for share in race.values()))
    low, high = 0.0, 100.0
    for _ in range(_STEPS):
        scale = (low + high) / 2
        appetites = [scale * value for value in openness]
        means = map(_mean_count, appetites, map(len, shares))
        low, high = (scale, high) if prod(means) < mean_bets else (low, scale)
    return [low * value for value in openness]
