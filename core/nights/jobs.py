"""Define nightly jobs. Each app lists its jobs as `JOBS` in its `nightly.py`.

A job does the work that a day leaves when it ends. Its only argument is that day. It asks the
database what is due up to then, and it may run again: work that is done stays as it is. So a night
that runs late, twice or after a kill ends in the same state.
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
    """The result of a job: counts by name, and rows by name that a person should look at."""

    counts: Mapping[str, int] = field(default_factory=dict)
    listed: Mapping[str, Rows] = field(default_factory=dict)


def every_day(day: date) -> bool:
    return True


def sundays(day: date) -> bool:
    """Return whether the day is a Sunday, for jobs done on Mondays."""
    return day.isoweekday() == 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A nightly job. `run(day)` is one transaction with the record that it is done, unless not
    `whole`.

    If `whole` is False, the job commits each of its steps on its own. `order` is its place in the
    night, from 5 (what later jobs read) to 90 and more (audits and what tells of them). `on` says
    on which days it runs. A job that `recounts` examines what stands: after several nights without
    it, it runs once, for the newest. Where it examines the past in turns (`turns.py`), `everything`
    examines all of it at once (`manage.py audit`); such a job writes nothing, for it may read a
    standby.
    """

    name: str
    title: str | Promise
    order: int
    run: Callable[[date], Outcome]
    on: Callable[[date], bool] = every_day
    whole: bool = True
    recounts: bool = False
    everything: Callable[[], Outcome] | None = None


def all_jobs() -> list[Job]:
    """Return the jobs of all apps in the order of the night. Raises ContributedTwice."""
    jobs = contributed_by_name("nightly", "JOBS").values()
    return sorted(jobs, key=lambda job: (job.order, job.name))
