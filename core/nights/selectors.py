"""Read what the nightly jobs did and what they have not done."""

import datetime
from dataclasses import dataclass

from django.db.models import QuerySet

from core.database import clock
from core.kernel.days import add_days, day_bounds
from core.nights import powers
from core.nights.jobs import Job
from core.nights.models import JobRun
from core.nights.services import jobs_due
from core.staff.actor import StaffActor

MISSED_AFTER = datetime.timedelta(hours=6)


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


def undone() -> list[Due]:
    now = clock.now()
    due = jobs_due()
    runs = {(run.job, run.day): run for run in JobRun.objects.exclude(state=JobRun.State.DONE)}
    return [
        Due(
            job,
            day,
            runs.get((job.name, day)),
            now - day_bounds(day)[1] > MISSED_AFTER or _skipped_a_day(job, day),
        )
        for day, job in due
    ]


def _skipped_a_day(job: Job, day: datetime.date) -> bool:
    """Return whether a job that recounts was done before, but not for the day before, when it was
    due.
    """
    if not job.recounts or not job.on(before := add_days(day, -1)):
        return False
    done = JobRun.objects.filter(job=job.name, state=JobRun.State.DONE)
    return done.exists() and not done.filter(day=before).exists()
