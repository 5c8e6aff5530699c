"""How many bets of a ticket have how many races right, without listing the bets.

A ticket with a_i right and b_i wrong numbers in race i holds as many bets with k races right as
the coefficient of x^k in prod(a_i x + b_i). Each bet is one winner, in one category [B10].
"""

from collections.abc import Iterable, Sequence

from lototrot.engine.bet_type import BetType


def bets_in(masks: Iterable[int]) -> int:
    """The number of bets: one number per race, in all combinations."""
    bets = 1
    for mask in masks:
        bets *= mask.bit_count()
    return bets


def bets_by_hits(masks: Sequence[int], right_masks: Sequence[int]) -> tuple[int, ...]:
    """Bets by number of races right: entry k is the number of bets with exactly k right.

    `masks` are the ticket's numbers by race, `right_masks` those of `races.right_mask`. Raises
    ValueError when they are not equally many.
    """
    coefficients = [1]
    for mask, right in zip(masks, right_masks, strict=True):
        hit = (mask & right).bit_count()
        miss = mask.bit_count() - hit
        shifted = [0, *(hit * c for c in coefficients)]
        for power, coefficient in enumerate(coefficients):
            shifted[power] += miss * coefficient
        coefficients = shifted
    return tuple(coefficients)


def units(by_hits: Sequence[int], bet_type: BetType) -> dict[int, int]:
    """Winning bets by category, highest first, noughts included (`14.III.7`)."""
    return {category: by_hits[category] for category in bet_type.categories}
