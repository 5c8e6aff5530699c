"""Find the instant at which a contest closes (14.III.4), readings E1 to E3 and E12.

Instants are aware datetimes of any time zone. Real time decides, not the order of the races [E2].
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from operator import attrgetter

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
    scheduled: datetime | None,
    starts: Iterable[datetime],
    not_run: Iterable[datetime],
    stops: Iterable[datetime] = (),
) -> Closing | None:
    """Return the earliest of the scheduled time, the starts and the declarations [E1].

    `starts` are the confirmed starts of included races that are run. `not_run` are the confirmed
    declarations that an included race is not run. `stops` are the stops of sales that such a start
    or declaration confirms. If a stop came before it, the contest closes at the first stop [E12].
    Without a start or a declaration, a stop closes nothing. Return None if nothing closes the
    contest. If a race and the schedule give the same instant, the race is the cause. Raises
    NaiveInstant.
    """
    acts = [Closing(instant, Cause.START) for instant in starts]
    acts += [Closing(instant, Cause.NOT_RUN) for instant in not_run]
    schedule = [Closing(scheduled, Cause.SCHEDULE)] if scheduled is not None else []
    stopped = list(stops)
    if any(i.utcoffset() is None for i in [*stopped, *(c.instant for c in acts + schedule)]):
        raise NaiveInstant
    by_instant = attrgetter("instant")
    if acts:
        first = min(acts, key=by_instant)
        acts = [Closing(min([first.instant, *stopped]), first.cause)]
    return min(acts + schedule, key=by_instant, default=None)


def legal_limit(starts: Iterable[datetime], not_run: Iterable[datetime]) -> datetime | None:
    """Return the instant from which a bet is in breach, whatever was scheduled [C6, E3]."""
    limit = closing(None, starts, not_run)
    return limit.instant if limit else None


def prints_end_at(closed_at: datetime, print_again_s: int) -> datetime:
    """Return the instant from which a ticket that was not printed is not given again [E11].

    `print_again_s` is a figure of the regulation. Raises NaiveInstant.
    """
    if closed_at.utcoffset() is None:
        raise NaiveInstant
    return closed_at + timedelta(seconds=print_again_s)
