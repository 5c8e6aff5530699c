"""Try a bet type on past rounds: settle their bets as if they had been bets of this type."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction

from lototrot.engine.bet_type import BetType
from lototrot.engine.distribution import Distribution, Takings, distribute


@dataclass(frozen=True, slots=True)
class PastRound:
    """The bets of one contest on its first races.

    Entry k of `by_hits` is the number of bets with exactly k of these races right. Entry i of
    `right_by_leg` is the number of bets that have race i + 1 of the contest right.
    """

    day: date
    name: str
    by_hits: tuple[int, ...]
    right_by_leg: tuple[int, ...]

    @property
    def legs(self) -> int:
        """Return the number of races that are counted."""
        return len(self.by_hits) - 1

    @property
    def bets(self) -> int:
        return sum(self.by_hits)


@dataclass(frozen=True, slots=True)
class Tried:
    """A round settled by a bet type on trial. `estimated` if the round had fewer races."""

    past: PastRound
    estimated: bool
    paid: Distribution


def tried(rounds: Sequence[PastRound], bet_type: BetType, price_cents: int) -> list[Tried]:
    """Settle the rounds one after another, from an empty jackpot and reserve.

    Each round counts as many races as the bet type has, or all of its own. One with fewer is
    lengthened by its own races (`lengthened`).
    """
    jackpot = reserve = 0
    results = []
    for past in rounds:
        by_hits = lengthened(past, bet_type.legs)
        winners = {category: by_hits[category] for category in bet_type.categories}
        takings = Takings(past.bets * price_cents, winners, jackpot, reserve, 0)
        paid = distribute(takings, bet_type)
        jackpot, reserve = paid.jackpot_out, paid.reserve_out
        results.append(Tried(past, past.legs < bet_type.legs, paid))
    return results


def lengthened(past: PastRound, legs: int) -> tuple[int, ...]:
    """Return the bets by hits of a round lengthened to `legs` races, not fewer than its own.

    Each missing race counts as if one race of the round were run once more. The part of the bets
    that had that race right has the added race right, whatever else these bets had right. Each
    count is rounded to whole bets, halves up.
    """
    exact = [Fraction(count) for count in past.by_hits]
    for added in range(legs - past.legs):
        right = past.right_by_leg[added % len(past.right_by_leg)]
        part = Fraction(right, past.bets) if past.bets else Fraction(0)
        wrong = [count * (1 - part) for count in exact]
        hit = [count * part for count in exact]
        none = Fraction(0)
        exact = [miss + more for miss, more in zip([*wrong, none], [none, *hit], strict=True)]
    return tuple(int(count + Fraction(1, 2)) for count in exact)
