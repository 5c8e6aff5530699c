"""Say what the nights did, what they have not done, and since when it is late."""

from datetime import timedelta

import pytest

from core.kernel.days import add_days, day_bounds
from core.kernel.errors import Forbidden
from core.nights.jobs import Job, Outcome
from core.nights.models import JobRun
from core.nights.selectors import job_runs, jobs_open, undone
from core.nights.services import last_day, night_run
from core.staff.powers import Role
from tests.support import factories
from tests.support.databases import Database


@pytest.fixture
def books(own_jobs: list[Job]) -> Job:
    """Return the only job there is, which recounts everything."""
    job = Job(name="books", title="books", order=90, run=lambda day: Outcome(), recounts=True)
    own_jobs.append(job)
    return job


def past_midnight(hours: float) -> None:
    """Move to so many hours after the end of the present day."""
    midnight = day_bounds(add_days(last_day(), 1))[1]
    factories.time_to(midnight + timedelta(hours=hours))


def test_a_job_is_missed_six_hours_after_its_day(own_database: Database, books: Job) -> None:
    past_midnight(5.9)
    assert [(due.job.name, due.day, due.missed) for due in undone()] == [
        ("books", last_day(), False)
    ]
    factories.time_pass(minutes=7)
    assert [(due.run, due.failed, due.missed) for due in undone()] == [(None, False, True)]
    night_run()
    assert undone() == []


def test_a_recount_that_skipped_a_day_is_missed_right_after_midnight(
    own_database: Database, books: Job
) -> None:
    past_midnight(1)
    night_run()
    past_midnight(1)
    assert [due.missed for due in undone()] == [False]
    past_midnight(1)
    assert [(due.day, due.missed) for due in undone()] == [(last_day(), True)]


def test_runs_are_read_by_day_job_and_state_and_with_the_power(
    own_database: Database, books: Job
) -> None:
    past_midnight(1)
    night_run()
    by = factories.staff(Role.ORGANISER)
    (run,) = job_runs(by=by, day=last_day(), job="books", state=JobRun.State.DONE)
    assert (run.job, run.attempts) == ("books", 1)
    assert not job_runs(by=by, state=JobRun.State.FAILED)
    assert jobs_open(by=by) == []
    for reading in (job_runs, jobs_open):
        with pytest.raises(Forbidden):
            reading(by=factories.staff(Role.CASHIER))
