"""Ratios that can be trusted on a machine whose speed drifts: pairs in turn, and the median."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median


@dataclass(frozen=True, slots=True)
class Pairs:
    """Measurements of a baseline and of ours, taken in turn, in the same unit."""

    baseline: list[float]
    ours: list[float]

    @property
    def ratio(self) -> float:
        """The median of ours over the baseline, pair by pair."""
        return median(ours / base for base, ours in zip(self.baseline, self.ours, strict=True))


def interleave(baseline: Callable[[], float], ours: Callable[[], float], *, pairs: int) -> Pairs:
    """Measure both in turn, after one round of each that is not counted.

    Each goes first in every other pair: what drifts one way must not look like a difference.
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


def percentile(values: list[float], share: float) -> float:
    """The value below which `share` of the values lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
