"""Read what the nightly jobs did and what they have not done."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from core.database import clock
from core.database.locks import Lock, held
from core.database.reading.once import once
from core.kernel.days import add_days, day_bounds
from core.nights import powers
from core.nights.jobs import Job
from core.nights.models import JobRun
from core.nights.services import jobs_due, last_done
from core.staff.actor import StaffActor

MISSED_AFTER = datetime.timedelta(hours=6)
GONE_ON_AT_ONCE = 3
"""A job that was cut off so often waits for the next hour: it may be what kills its server."""


@dataclass(frozen=True, slots=True)
class Due:
    """A job that is not done: `failed` with its error, or not run; `missed` once it is late."""

    job: Job
    day: datetime.date
    run: JobRun | None
    missed: bool

    @property
    def failed(self) -> bool:
        return self.run is not None and self.run.state == JobRun.State.FAILED


def job_runs(
    *, by: StaffActor, day: datetime.date | None = None, job: str = "", state: str = ""
) -> QuerySet[JobRun]:
    by.need(powers.READ)
    runs = JobRun.objects.all()
    if day:
        runs = runs.filter(day=day)
    if job:
        runs = runs.filter(job=job)
    return runs.filter(state=state) if state else runs


def jobs_open(*, by: StaffActor) -> list[Due]:
    """Return the undone jobs of ended days, oldest first."""
    by.need(powers.READ)
    return undone()


def cut_off() -> list[int]:
    """Return the run that is recorded as running though no session runs a night: one at most.

    Its worker died, or its server did. The next night does it, with all that is due.
    """
    running = JobRun.objects.filter(state=JobRun.State.RUNNING, attempts__lt=GONE_ON_AT_ONCE)
    begun = list(running.order_by("pk").values_list("pk", flat=True)[:1])
    return [] if begun and held(Lock.NIGHT) else begun


@once
def undone() -> list[Due]:
    now = clock.now()
    due = jobs_due()
    runs = {(run.job, run.day): run for run in JobRun.objects.exclude(state=JobRun.State.DONE)}
    in_time = [(day, job) for day, job in due if now - day_bounds(day)[1] <= MISSED_AFTER]
    waiting = {(job.name, day) for day, job in in_time} - _skipped_a_day(in_time)
    return [
        Due(job, day, runs.get((job.name, day)), missed=(job.name, day) not in waiting)
        for day, job in due
    ]


def _skipped_a_day(due: Sequence[tuple[datetime.date, Job]]) -> set[tuple[str, datetime.date]]:
    """Return the jobs that recount and were done before, but not for the day before, when they were
    due. Each stands with the day on which it is due now.
    """
    before = {
        (job.name, day): add_days(day, -1)
        for day, job in due
        if job.recounts and job.on(add_days(day, -1))
    }
    if not before:
        return set()
    began = last_done()
    done = set(
        JobRun.objects.filter(
            state=JobRun.State.DONE, job__in={name for name, _ in before}, day__in=before.values()
        ).values_list("job", "day")
    )
    return {
        (name, day)
        for (name, day), earlier in before.items()
        if name in began and (name, earlier) not in done
    }
