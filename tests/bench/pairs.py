"""Ratios on a machine whose speed drifts: measure in turn, and take the median."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

Measured = TypeVar("Measured")


@dataclass(frozen=True, slots=True)
class Pairs:
    """Measurements of a baseline and of ours, taken in turn, in the same unit."""

    baseline: list[float]
    ours: list[float]

    @property
    def ratio(self) -> float:
        """The median of ours divided by the baseline, pair by pair."""
        return median(ours / base for base, ours in zip(self.baseline, self.ours, strict=True))

    @property
    def baseline_median(self) -> float:
        return middle(self.baseline)

    @property
    def ours_median(self) -> float:
        return middle(self.ours)


def interleave(baseline: Callable[[], float], ours: Callable[[], float], *, pairs: int) -> Pairs:
    """Measure both in turn, after one round of each that is not counted.

    Each goes first in every other pair, so that a drift does not look like a difference.
    """
    baseline(), ours()
    bases, mine = [], []
    for number in range(pairs):
        if number % 2:
            mine.append(ours())
        bases.append(baseline())
        if not number % 2:
            mine.append(ours())
    return Pairs(bases, mine)


def in_turn(
    measures: Sequence[Callable[[], Measured]], *, rounds: int, warm: bool = True
) -> list[list[Measured]]:
    """Measure all in turn. Return what each of them gave.

    Each goes first in turn, so that a drift does not look like a difference. To be `warm`, each is
    done once before, which is not counted.
    """
    for measure in measures if warm else ():
        measure()
    measurements: list[list[Measured]] = [[] for _ in measures]
    for number in range(rounds):
        for step in range(len(measures)):
            at = (number + step) % len(measures)
            measurements[at].append(measures[at]())
    return measurements


def middle(values: Sequence[float]) -> float:
    """Return the middle value; the upper one of two."""
    return sorted(values)[len(values) // 2]


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which `share` (0 to 1) of the values lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
