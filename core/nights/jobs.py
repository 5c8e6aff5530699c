"""The jobs of a night. Each app lists its jobs as `JOBS` in its `nightly.py`.

A job does what a day that has ended leaves to be done. It takes that day and nothing else, asks the
database what is due up to then, and may be run again: what is done already stays as it is. So a
night run late, twice or after a kill ends in the same state.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from django.utils.functional import Promise

from core.contributions import contributed_by_name

Rows = Sequence[Mapping[str, Any]]
MOST_LISTED = 200
"""Rows of a list that a run keeps; how many there are is among its counts."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a job did (numbers by name) and what a person should look at (rows by name)."""

    counts: Mapping[str, int] = field(default_factory=dict)
    listed: Mapping[str, Rows] = field(default_factory=dict)


def every_day(day: date) -> bool:
    return True


def sundays(day: date) -> bool:
    """For what is done on Mondays: the night after a Sunday."""
    return day.isoweekday() == 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """`run(day)` is one transaction with the record that it is done, unless `whole` is False.

    Then it commits step by step by itself, each step once and for all. `order` places it in the
    night: 10 close, 20 settle, 30 lapse, 40 list, 50 account, 90 audit. `on` says on which days.
    """

    name: str
    title: str | Promise
    order: int
    run: Callable[[date], Outcome]
    on: Callable[[date], bool] = every_day
    whole: bool = True


def all_jobs() -> list[Job]:
    """Return the jobs of all apps in the order of the night. Raises ContributedTwice."""
    jobs = contributed_by_name("nightly", "JOBS").values()
    return sorted(jobs, key=lambda job: (job.order, job.name))
