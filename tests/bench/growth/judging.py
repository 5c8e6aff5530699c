"""Say how a figure grows with the length of a history, and whether that is what was wanted.

Only arithmetic: what is measured, and where it is printed, is said elsewhere.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

LINEAR = 1.0
"""The slope of what grows as the history does. What does not grow has slope 0."""
_LEAST = 1e-6  # a figure of nothing has no logarithm
_ROUNDING = 1e-9

Series = Mapping[str, Sequence[float]]
"""Figures by name, one for each length; of each, less is better."""


class GrowsTooFast(Exception):
    """Figures that must be flat grow faster than the history."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A row of a table of wishes: a figure, and its bound from above or from below.

    `grows` names the series whose fitted growth is printed beside it.
    """

    figure: str
    at_most: float | None = None
    at_least: float | None = None
    grows: str = ""

    def is_met(self, value: float) -> bool:
        """Whether a value keeps within the bounds."""
        if self.at_most is not None and value > self.at_most:
            return False
        return self.at_least is None or value >= self.at_least

    def bound(self) -> str:
        """Return the bound in words."""
        if self.at_most is not None:
            return f"at most {self.at_most:,g}"
        return f"at least {self.at_least:,g}"


def slope(lengths: Sequence[float], values: Sequence[float]) -> float:
    """Return the slope of the line that fits all points best, by least squares in logarithms."""
    across = [math.log(length) for length in lengths]
    up = [math.log(max(value, _LEAST)) for value in values]
    middle_across, middle_up = sum(across) / len(across), sum(up) / len(up)
    steps = [x - middle_across for x in across]
    risen = sum(step * (y - middle_up) for step, y in zip(steps, up, strict=True))
    return risen / sum(step * step for step in steps)


def growth(lengths: Sequence[float], values: Sequence[float]) -> float:
    """Return the fitted value at the last length, divided by that at the first."""
    return float((lengths[-1] / lengths[0]) ** slope(lengths, values))


def faster_than_linear(lengths: Sequence[float], series: Series) -> list[str]:
    """Return the names of the figures whose fitted growth is more than that of the history."""
    fastest = LINEAR + _ROUNDING
    return [name for name, values in series.items() if slope(lengths, values) > fastest]


def refuse_faster_than_linear(lengths: Sequence[float], series: Series) -> None:
    """Raise GrowsTooFast if a figure grows faster than the history."""
    if fast := faster_than_linear(lengths, series):
        raise GrowsTooFast(f"these grow faster than the history: {', '.join(fast)}")


def judged(
    wanted: Sequence[Wanted], figures: Mapping[str, float], growths: Mapping[str, float]
) -> list[str]:
    """Return a line for each row of a table: wanted, measured, fitted growth, and whether met."""
    lines = [f"{'figure':34} {'wanted':>15} {'measured':>10} {'fitted':>8}  met"]
    for row in wanted:
        fitted = f"{growths[row.grows]:8.2f}" if row.grows in growths else " " * 8
        value = figures.get(row.figure)
        measured = "not" if value is None else f"{value:,.2f}"
        met = "not measured" if value is None else "yes" if row.is_met(value) else "NO"
        lines.append(f"{row.figure:34} {row.bound():>15} {measured:>10} {fitted}  {met}")
    return lines
