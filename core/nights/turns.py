"""Recount an old period each night in turn, so that a night costs the same in every year.

Every night an audit looks at what is new, and at one older period of four weeks. That is the period
after the one of its last night; after the newest period the audit begins again with the oldest. So
a change in an old row is found after as many nights as there are periods: 13 for each year, some
130 in ten years.
"""

import datetime
from dataclasses import dataclass

from core.kernel.days import add_days
from core.nights.models import JobRun

PERIOD_DAYS = 28
RECENT_DAYS = 40
"""Days that are looked at every night: longer than prizes are claimed."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The period from `first` to `last`, both included; `number` counts periods from 1."""

    number: int
    first: datetime.date
    last: datetime.date


def recent(day: datetime.date) -> datetime.date:
    """Return the first of the days that the night of a day looks at in any case."""
    return add_days(day, -RECENT_DAYS)


def turn_of(job: str, day: datetime.date, *, since: datetime.date | None) -> Turn | None:
    """Return the older period that a job recounts in the night of a day; None while there is none.

    `since` is the first day on record. The job keeps the turn's number among its counts, as `turn`.
    """
    periods = 0 if since is None else -(-(recent(day) - since).days // PERIOD_DAYS)
    if since is None or periods < 1:
        return None
    number = next_turn(job, day, turns=periods)
    first = add_days(since, (number - 1) * PERIOD_DAYS)
    return Turn(number, first, min(add_days(first, PERIOD_DAYS - 1), add_days(recent(day), -1)))


def next_turn(job: str, day: datetime.date, *, turns: int) -> int:
    """Return the turn of the night of a day, from 1 to `turns`, then 1 again.

    Each night since the job's last one that was done took a turn, also one that failed. So what one
    period makes fail, night after night, keeps no other period from being looked at; and a night
    that is tried again has the turn that it had.
    """
    nights = JobRun.objects.filter(job=job, day__lt=day)
    done = nights.filter(state=JobRun.State.DONE).order_by("-day").values_list("day", "counts")
    before, counts = done.first() or (datetime.date.min, {})
    return (int(counts.get("turn", 0)) + nights.filter(day__gt=before).count()) % turns + 1


def last_begun(job: str) -> datetime.datetime | None:
    """Return when the newest run that did a job began; None if no run has done it."""
    done = JobRun.objects.filter(job=job, state=JobRun.State.DONE).order_by("-day")
    return done.values_list("started_at", flat=True).first()


def spans_of(day: datetime.date, turn: Turn | None) -> list[tuple[datetime.date, datetime.date]]:
    """Return the days that the night of a day looks at, each span from its first to its last.

    The recent days have no end: what is on sale may be of a day to come.
    """
    of_turn = [(turn.first, turn.last)] if turn else []
    return [(recent(day), datetime.date.max), *of_turn]


def counted(turn: Turn | None) -> dict[str, int]:
    """Return what the job keeps of its turn among its counts."""
    return {"turn": turn.number} if turn else {}
