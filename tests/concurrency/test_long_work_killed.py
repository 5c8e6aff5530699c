"""A worker that is killed in the middle leaves work that says so, and nothing half done."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from core.longwork import selectors
from core.longwork.models import LongWork
from core.longwork.services import work_cut_off, work_do
from core.longwork.tasks import hand_on
from core.nights.jobs import Job, Outcome
from core.nights.long_work import night_ask
from core.nights.models import JobFailure, JobRun
from core.staff.powers import Role
from tests.support import factories
from tests.support.contributing import contributed
from tests.support.databases import Database
from tests.support.processes.killed_work import NAME


def _until(condition: Callable[[], object]) -> None:
    """Return when the condition holds; the bound says only when to call it a failure."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "what was waited for did not happen"
        time.sleep(0.02)


@pytest.fixture
def job() -> Iterator[Job]:
    """The only job there is: that of the worker which is killed, and it ends here."""
    endless = Job(name=NAME, title="Endless", order=1, run=lambda day: Outcome({"rows": 1}))
    with contributed("nightly", "JOBS", [endless]):
        yield endless


def test_work_whose_worker_was_killed_is_said_to_be_cut_off_and_is_taken_up_anew(
    own_database: Database, job: Job
) -> None:
    organiser = factories.staff(Role.ORGANISER)
    work = night_ask(by=organiser)
    worker = subprocess.Popen(
        [sys.executable, "-m", "tests.support.processes.killed_work", str(work.pk)],
        env={**os.environ, **own_database.environment},
        stdout=subprocess.PIPE,
    )
    assert worker.stdout
    with worker, worker.stdout:
        try:
            assert worker.stdout.readline(), "the worker did not begin"
            work.refresh_from_db()
            assert (work.state, work.step, work.number, work.steps) == ("running", NAME, 1, 1)
            assert selectors.cut_off() == [] and not work_cut_off(work.pk)
            assert night_ask(by=organiser) == work  # the same night, which goes on
        finally:
            worker.kill()
    _until(lambda: selectors.cut_off() == [work.pk])
    assert not work_do(work.pk)  # a message that came twice
    hand_on(work.pk)
    work.refresh_from_db()
    assert (work.state, work.fault) == ("cut_off", "cut_off")
    run = JobRun.objects.get()
    assert (run.state, run.attempts) == ("running", 1)

    again = night_ask(by=organiser)
    assert again != work
    assert work_do(again.pk)
    again.refresh_from_db()
    assert (again.state, again.result) == ("done", {"jobs": 1})
    run.refresh_from_db()
    assert (run.state, run.attempts, run.counts) == ("done", 2, {"rows": 1})
    assert JobFailure.objects.get().error == "cut off"
    assert LongWork.objects.count() == 2
