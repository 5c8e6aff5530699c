"""The server's clock steps in the middle of a night: the night ends, and a later one does the rest.

By a clock that is a day ahead a night would close tomorrow's contests.
"""

from collections.abc import Callable, Iterator
from datetime import date, timedelta

import pytest
from django.core.management import CommandError, call_command

from core.database import clock
from core.database.clock import ClockUnsound
from core.kernel.days import day_bounds
from core.nights.jobs import Job, Outcome
from core.nights.models import JobFailure, JobRun
from core.nights.nightly import JOBS, LAPSE, WorkFailed
from core.nights.services import last_day, night_run
from core.nights.tasks import night
from core.payoffice.sources import Lapsed
from lototrot.models.contest import Contest
from tests.support import factories
from tests.support.concurrency.sales import apart
from tests.support.databases import Database
from tests.support.factories.clocks import server_clock_off, server_clock_steps, watched

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
JOB_BY_NAME = {job.name: job for job in JOBS}


@pytest.fixture
def midnight(own_database: Database, machine_clock: None) -> Iterator[None]:
    """Half an hour after a day has ended, by a clock that is right again at the end."""
    factories.time_to(day_bounds(last_day() + DAY)[1] + HOUR / 2)
    watched()
    with server_clock_off(timedelta()):
        yield


def stepping(by: timedelta) -> Callable[[date], Outcome]:
    """Return what a job does in which the clock steps, the first time that it runs."""
    steps = [by]

    def run(day: date) -> Outcome:
        if steps:
            server_clock_steps(steps.pop())
            apart(watched).result()  # a job that fails takes what it wrote with it
        return Outcome()

    return run


@pytest.mark.usefixtures("midnight")
@pytest.mark.parametrize("by", [-HOUR, DAY])
@pytest.mark.parametrize("whole", [True, False])
def test_a_job_in_which_the_clock_steps_fails_in_words_and_a_later_night_does_it(
    own_jobs: list[Job], by: timedelta, whole: bool
) -> None:
    days: list[date] = []

    def later(day: date) -> Outcome:
        days.append(day)
        return Outcome()

    own_jobs += [
        Job(name="stepping", title="stepping", order=1, run=stepping(by), whole=whole),
        Job(name="later", title="later", order=2, run=later),
    ]
    day = last_day()
    with pytest.raises(ClockUnsound):
        night_run()
    failed = JobRun.objects.get()
    assert (failed.state, failed.day) == ("failed", day)
    assert failed.error.startswith("clock_unsound: ")
    assert JobFailure.objects.get().run == failed
    assert (night(), days) == (0, [])
    server_clock_steps(timedelta())
    watched()
    assert [(run.job, run.day, run.state) for run in night_run()] == [
        ("stepping", day, "done"),
        ("later", day, "done"),
    ]


@pytest.mark.usefixtures("midnight")
def test_the_command_tells_of_the_jobs_that_were_done_before_the_night_ended(
    own_jobs: list[Job], capsys: pytest.CaptureFixture[str]
) -> None:
    own_jobs += [
        Job(name="done", title="done", order=1, run=lambda day: Outcome({"rows": 3})),
        Job(name="stepping", title="stepping", order=2, run=stepping(DAY)),
        Job(name="later", title="later", order=3, run=lambda day: Outcome()),
    ]
    day = last_day()
    with pytest.raises(CommandError, match="clock_unsound"):
        call_command("night")
    done, failed = capsys.readouterr().out.splitlines()
    assert done == f"{day} done: done rows=3"
    assert failed.startswith(f"{day} stepping: failed clock_unsound: ")


@pytest.mark.usefixtures("midnight")
def test_a_job_that_began_by_a_clock_ahead_ends_by_the_right_one(own_jobs: list[Job]) -> None:
    """Nobody had noticed yet that the clock was ahead when the job began."""
    own_jobs += [Job(name="stepping", title="stepping", order=1, run=stepping(timedelta()))]
    server_clock_steps(HOUR)
    (run,) = night_run()
    assert (run.state, run.ended_at) == ("done", run.started_at)


@pytest.mark.usefixtures("midnight")
@pytest.mark.article("14.III.4")
def test_no_contest_is_closed_by_a_clock_that_steps_forward_in_a_night(
    own_jobs: list[Job],
) -> None:
    contest = factories.contest()
    ahead = contest.scheduled_close_at - clock.now() + HOUR
    due = JOB_BY_NAME["work.due"]
    own_jobs += [Job(name="stepping", title="stepping", order=1, run=stepping(ahead)), due]
    with pytest.raises(ClockUnsound):
        night_run()
    assert clock.now() > contest.scheduled_close_at
    with pytest.raises(WorkFailed) as refusal:
        due.run(last_day())
    assert {code for *_, code in refusal.value.data["failed"]} == {"clock_unsound"}
    contest.refresh_from_db()
    assert contest.state == Contest.State.OPEN


@pytest.mark.article("14.III.10.2")
def test_nothing_lapses_by_a_clock_that_is_wrong(
    midnight: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lapse is dated by the clock, and a long night has many."""
    lapsed: list[str] = []

    class Source:
        def lapses_due(self, today: date, since: date) -> list[str]:
            return ["first", "second"]

        def lapse(self, group: str, today: date) -> Lapsed:
            lapsed.append(group)
            server_clock_steps(DAY)
            watched()
            return Lapsed(documents=1, cents=0)

    monkeypatch.setattr("core.payoffice.sources.all_sources", lambda: [Source()])
    with pytest.raises(ClockUnsound):
        JOB_BY_NAME[LAPSE].run(last_day())
    assert lapsed == ["first"]
