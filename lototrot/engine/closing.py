"""When a contest closes (`14.III.4`), readings E1 to E3.

Instants are aware datetimes of any zone; real time decides, not the order of the races [E2].
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.kernel.days import NaiveInstant


class Cause(StrEnum):
    """What closed a contest."""

    SCHEDULE = "schedule"
    START = "start"
    NOT_RUN = "not_run"


@dataclass(frozen=True, slots=True)
class Closing:
    """The first instant at which nothing is sold any more, and why."""

    instant: datetime
    cause: Cause


def closing(
    scheduled: datetime | None, starts: Iterable[datetime], not_run: Iterable[datetime]
) -> Closing | None:
    """The earliest of the schedule, the confirmed starts and the declarations [E1].

    `starts` are the confirmed starts of included races that are run, `not_run` the declarations
    that an included race is not run. None while nothing closes it. At one instant the race decides
    before the schedule. Raises NaiveInstant.
    """
    found = [Closing(instant, Cause.START) for instant in starts]
    found += [Closing(instant, Cause.NOT_RUN) for instant in not_run]
    if scheduled is not None:
        found.append(Closing(scheduled, Cause.SCHEDULE))
    if any(each.instant.utcoffset() is None for each in found):
        raise NaiveInstant
    return min(found, key=lambda each: each.instant, default=None)


def legal_limit(starts: Iterable[datetime], not_run: Iterable[datetime]) -> datetime | None:
    """The instant from which a registered bet is in breach, whatever the schedule said [C6, E3]."""
    limit = closing(None, starts, not_run)
    return limit.instant if limit else None
