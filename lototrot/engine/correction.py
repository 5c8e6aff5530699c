"""When a lower category would pay more than a higher one (`14.III.9.7`), readings A7 to A12."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Correction:
    """What 9.7 did; amounts are exact cents by category, only those with winners, highest first.

    `halved` are the pairs (higher, lower) of the first paragraph, in the order done;
    `after_halving` the amounts then; `joined` the groups of two or more categories that the second
    paragraph gave one prize; `amounts` the outcome.
    """

    halved: tuple[tuple[int, int], ...]
    after_halving: Mapping[int, Fraction]
    joined: tuple[tuple[int, ...], ...]
    amounts: Mapping[int, Fraction]


@dataclass(slots=True)
class _Group:
    """Categories that share one prize."""

    categories: tuple[int, ...]
    amount: Fraction
    winners: int

    @property
    def prize(self) -> Fraction:
        return Fraction(self.amount, self.winners)


def correct(amounts: Mapping[int, int], winners: Mapping[int, int]) -> Correction:
    """Apply 9.7 to the categories that have winners, highest first [A9, A10].

    One pass of halving from the top, each pair with the amounts as they stand by then [A11]; then
    neighbours still inverted are joined until none is [A12]. Equal prizes are left alone.
    """
    won = [category for category in sorted(amounts, reverse=True) if winners[category] > 0]
    halved, current = _halve(won, {c: Fraction(amounts[c]) for c in won}, winners)
    groups = _join(won, current, winners)
    outcome = {c: group.prize * winners[c] for group in groups for c in group.categories}
    return Correction(
        halved=halved,
        after_halving=MappingProxyType(current),
        joined=tuple(group.categories for group in groups if len(group.categories) > 1),
        amounts=MappingProxyType(outcome),
    )


def _halve(
    won: list[int], amounts: dict[int, Fraction], winners: Mapping[int, int]
) -> tuple[tuple[tuple[int, int], ...], dict[int, Fraction]]:
    halved = []
    for higher, lower in pairwise(won):
        if amounts[lower] * winners[higher] > amounts[higher] * winners[lower]:
            half = Fraction(amounts[higher] + amounts[lower], 2)
            amounts[higher] = amounts[lower] = half
            halved.append((higher, lower))
    return tuple(halved), amounts


def _join(
    won: list[int], amounts: Mapping[int, Fraction], winners: Mapping[int, int]
) -> list[_Group]:
    groups: list[_Group] = []
    for category in won:
        group = _Group((category,), amounts[category], winners[category])
        while groups and group.prize > groups[-1].prize:
            above = groups.pop()
            group = _Group(
                above.categories + group.categories,
                above.amount + group.amount,
                above.winners + group.winners,
            )
        groups.append(group)
    return groups
