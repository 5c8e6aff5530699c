"""Divide the prizes of a meeting as the auditor reads the law (9.1 to 9.9).

It imports nothing of the project.
"""

import itertools
from dataclasses import dataclass
from fractions import Fraction
from math import floor


@dataclass(frozen=True)
class Terms:
    """The terms that the authority approved."""

    chain: str
    legs: int
    prize_percent: Fraction
    threshold_cents: int
    below: dict[str, int]
    above: dict[str, int]
    share_percents: dict[str, int]
    price_cents: int
    claim_days: int

    @property
    def categories(self) -> list[int]:
        return sorted((int(key) for key in self.below if key != "reserve"), reverse=True)


def divide(
    terms: Terms, pool: int, winners: dict[int, int], jackpot: int, reserve: int, lapsed: int
) -> tuple[dict[int, int], int, int]:
    """Return the prize of each category, and jackpot and reserve afterwards (9.1 to 9.9)."""
    order = terms.categories
    top = order[0]
    percents = terms.above if jackpot + lapsed > terms.threshold_cents else terms.below
    amounts = {hits: Fraction(pool * percents[str(hits)] // 100) for hits in order[1:]}
    contribution = pool * percents.get("reserve", 0) // 100
    amounts[top] = pool - sum(amounts.values()) - contribution
    fallen = Fraction(0)
    for hits in order[1:]:
        amounts[hits] += fallen
        fallen = Fraction(0)
        if not winners[hits]:
            fallen, amounts[hits] = amounts[hits], Fraction(0)
    contribution += int(fallen)
    amounts[top] += jackpot + lapsed + (reserve if winners[top] else 0)
    won = [hits for hits in order if winners[hits]]
    for above, below in itertools.pairwise(won):
        if amounts[below] / winners[below] > amounts[above] / winners[above]:
            amounts[above] = amounts[below] = (amounts[above] + amounts[below]) / 2
    groups = [([hits], amounts[hits], winners[hits]) for hits in won]
    joined = True
    while joined:
        joined = False
        for place in range(len(groups) - 1):
            (h1, a1, n1), (h2, a2, n2) = groups[place], groups[place + 1]
            if a2 / n2 > a1 / n1:
                groups[place : place + 2] = [(h1 + h2, a1 + a2, n1 + n2)]
                joined = True
                break
    prize_each = {hits: floor(amount / many) for hs, amount, many in groups for hits in hs}
    before = sum((amount for _, amount, _ in groups), Fraction(0))
    left = before - sum(prize_each[hits] * winners[hits] for hits in won)
    if left.denominator != 1:
        raise AssertionError("cents left over are whole")
    jackpot_out = 0 if winners[top] else int(amounts[top])
    reserve_out = (0 if winners[top] else reserve) + contribution + int(left)
    return prize_each, jackpot_out, reserve_out
