"""Find the instant at which a contest closes (14.III.4), readings E1 to E3.

Instants are aware datetimes of any time zone. Real time decides, not the order of the races [E2].
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.kernel.days import NaiveInstant


class Cause(StrEnum):
    """The event that closed a contest."""

    SCHEDULE = "schedule"
    START = "start"
    NOT_RUN = "not_run"


@dataclass(frozen=True, slots=True)
class Closing:
    """The first instant at which no bet is accepted, and the cause."""

    instant: datetime
    cause: Cause


def closing(
    scheduled: datetime | None, starts: Iterable[datetime], not_run: Iterable[datetime]
) -> Closing | None:
    """Return the earliest of the scheduled time, the starts and the declarations [E1].

    `starts` are the confirmed starts of included races that are run. `not_run` are the confirmed
    declarations that an included race is not run. Return None if there is none of them. If a race
    and the schedule give the same instant, the race is the cause. Raises NaiveInstant.
    """
    closings = [Closing(instant, Cause.START) for instant in starts]
    closings += [Closing(instant, Cause.NOT_RUN) for instant in not_run]
    if scheduled is not None:
        closings.append(Closing(scheduled, Cause.SCHEDULE))
    if any(closing.instant.utcoffset() is None for closing in closings):
        raise NaiveInstant
    return min(closings, key=lambda closing: closing.instant, default=None)


def legal_limit(starts: Iterable[datetime], not_run: Iterable[datetime]) -> datetime | None:
    """Return the instant from which a bet is in breach, whatever was scheduled [C6, E3]."""
    limit = closing(None, starts, not_run)
    return limit.instant if limit else None
