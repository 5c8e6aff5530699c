"""Define what an app contributes to a period: what keeps it open, and its figures.

An app lists its parts as `PERIOD_PARTS` in its `period_parts.py`.
"""

import datetime
from collections.abc import Callable
from dataclasses import dataclass

from core.contributions import contributed_by_name
from core.kernel.canonical import Json

Row = dict[str, Json]


@dataclass(frozen=True, slots=True)
class PeriodPart:
    """A part of a period, for its first and last day.

    `waits` returns the rows of those days that are not finished; each has a `code`. `figures`
    returns what is published of them. It never changes once nothing waits.
    """

    name: str
    waits: Callable[[datetime.date, datetime.date], list[Row]]
    figures: Callable[[datetime.date, datetime.date], Json]


def all_parts() -> dict[str, PeriodPart]:
    """Return the parts of all apps by name."""
    return dict(sorted(contributed_by_name("period_parts", "PERIOD_PARTS").items()))
