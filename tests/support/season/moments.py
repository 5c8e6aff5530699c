"""Say what an incident is, and at which moments of a season one may happen."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any


class Moment(StrEnum):
    """A moment at which something may go wrong, and what the incident is told of."""

    DRAFT = "a contest is about to be prepared: its plan"
    ON_SALE = "a contest has sold: its plan"
    BEFORE_START = "a minute before the first start: the plan"
    RACED = "the races of a contest are over: its plan"
    CLOSED = "a contest is about to be settled: its plan"
    SETTLED = "a contest is settled and not ordered: its plan"
    ORDERED = "a contest is ordered: its plan"
    CLAIM = "a player is at the counter: the ticket"
    PLAYS = "instant games are played: the day"
    EVENING = "the day ends: the day"
    NIGHT = "the nightly jobs are due: the day"


MEETINGS = frozenset(
    {
        Moment.DRAFT,
        Moment.ON_SALE,
        Moment.BEFORE_START,
        Moment.RACED,
        Moment.CLOSED,
        Moment.SETTLED,
        Moment.ORDERED,
    }
)


@dataclass(frozen=True)
class Incident:
    """Something that goes wrong, with its chance at each of its moments.

    `happens` does it, and returns whether it could be done. Of the incidents of a meeting those to
    come are chosen when it is planned: `prepares` then changes the plan. At most one incident that
    comes `alone` is chosen for a meeting. On the days that `on` names it comes in any case.
    """

    name: str
    moment: Moment
    weight: float
    happens: Callable[[Any, Any], bool]
    prepares: Callable[[Any, Any], None] | None = None
    alone: bool = False
    on: Callable[[date], bool] | None = None
