"""Correct prizes if a lower category would pay more than a higher one (14.III.9.7) [A7-A12]."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Correction:
    """The steps and the outcome of 14.III.9.7, for categories with winners, highest first.

    `halved`: the pairs (higher, lower) of the first paragraph, in the order they were halved.
    `after_halving`: the amounts after that. `joined`: the groups of two or more categories to which
    the second paragraph gives one prize. `amounts`: the outcome. Amounts are exact cents by
    category.
    """

    halved: tuple[tuple[int, int], ...]
    after_halving: Mapping[int, Fraction]
    joined: tuple[tuple[int, ...], ...]
    amounts: Mapping[int, Fraction]


@dataclass(slots=True)
class _Group:
    """Categories whose winners all get the same prize."""

    categories: tuple[int, ...]
    amount: Fraction
    winners: int

    @property
    def prize(self) -> Fraction:
        return Fraction(self.amount, self.winners)


def correct(amounts: Mapping[int, int], winners: Mapping[int, int]) -> Correction:
    """Apply 14.III.9.7 to the categories that have winners, from the highest down [A9, A10].

    First go down once and halve each pair that is inverted, with the amounts reached so far [A11].
    Then join neighbours that are still inverted, until no pair is [A12]. Equal prizes stay.
    `amounts` (cents) and `winners` (winning bets) are by category.
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
