"""Count the bets of a ticket by the number of races they have right, without listing them.

If a ticket has a_i right and b_i wrong numbers in race i, the number of its bets with k races right
is the coefficient of x^k in the product of (a_i x + b_i). Each bet wins in at most one category
[B10].
"""

from collections.abc import Iterable, Sequence

from lototrot.engine.bet_type import BetType


def bets_in(masks: Iterable[int]) -> int:
    """Return the number of bets: all combinations of one number per race."""
    bets = 1
    for mask in masks:
        bets *= mask.bit_count()
    return bets


def bets_by_hits(masks: Sequence[int], right_masks: Sequence[int]) -> tuple[int, ...]:
    """Return a tuple whose entry k is the number of bets with exactly k races right.

    `masks` are the ticket's numbers by race; `right_masks` come from `races.right_mask`. Raises
    ValueError if the two differ in length.
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
    """Return the winning bets of each category, highest first, zeros included (14.III.7)."""
    return {category: by_hits[category] for category in bet_type.categories}
