"""Run each nightly job once for each day and in order, late or not, after failures and kills."""

import signal
import time
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from core.contributions import ContributedTwice
from core.database import clock, quiet
from core.database.locks import Lock
from core.kernel.days import add_days, day_bounds
from core.kernel.errors import InvariantBroken
from core.nights.alarms import ALARMS
from core.nights.jobs import Job, Outcome, sundays
from core.nights.metrics import source
from core.nights.models import JobFailure, JobRun
from core.nights.selectors import undone
from core.nights.services import DayNotOver, NightRunning, jobs_due, last_day, night_run
from tests.support import factories
from tests.support.concurrency import stopping
from tests.support.concurrency.forking import stopped
from tests.support.databases import Database


class Diary:
    """Jobs that write down when they ran."""

    def __init__(self, jobs: list[Job]) -> None:
        self.jobs = jobs
        self.lines: list[tuple[str, date]] = []
        self.failing: set[str] = set()

    def job(self, name: str, order: int, **more: Any) -> Job:
        def run(day: date) -> Outcome:
            if name in self.failing:
                raise InvariantBroken("It does not agree.", account="x")
            self.lines.append((name, day))
            return Outcome({"done": 1}, {"rows": [{"a": 1}]})

        new_job = Job(name=name, title=name, order=order, run=run, **more)
        self.jobs.append(new_job)
        return new_job


@pytest.fixture
def diary(own_jobs: list[Job]) -> Diary:
    return Diary(own_jobs)


def next_day() -> date:
    """Move to half past midnight of the next day and return the day that has ended."""
    midnight = day_bounds(add_days(last_day(), 1))[1]
    factories.time_to(midnight + timedelta(minutes=30))
    return last_day()


@pytest.fixture
def own(own_database: Database) -> Database:
    """Return a database with real commits: a night is many transactions under one lock."""
    next_day()
    return own_database


def test_each_job_is_done_once_for_a_day_and_in_order(own: Database, diary: Diary) -> None:
    diary.job("second", 50), diary.job("first", 10)
    runs = night_run()
    assert diary.lines == [("first", last_day()), ("second", last_day())]
    assert [(r.state, r.counts, r.listed) for r in runs] == [
        ("done", {"done": 1}, {"rows": [{"a": 1}]})
    ] * 2
    assert night_run() == []
    assert JobRun.objects.count() == 2
    diary.job("first", 1)
    with pytest.raises(ContributedTwice, match="'first' is contributed twice"):
        night_run()


def test_days_off_are_caught_up_with_day_by_day(own: Database, diary: Diary) -> None:
    diary.job("b", 20), diary.job("a", 10), diary.job("weekly", 30, on=sundays)
    first = last_day()
    night_run()
    diary.lines.clear()
    days = [next_day() for _ in range(9)]
    night_run()
    daily = [line for line in diary.lines if line[0] != "weekly"]
    assert daily == [(name, day) for day in days for name in ("a", "b")]
    week = [line for line in diary.lines if line[0] == "weekly"]
    assert week == [("weekly", day) for day in days if day.isoweekday() == 7]
    assert first < days[0]


@pytest.mark.parametrize("is_first", [False, True])
@pytest.mark.parametrize("left", [{"a": "done"}, {"a": "done", "b": "running"}])
def test_a_night_killed_before_the_first_turn_of_a_weekly_job_does_it_later(
    own: Database, diary: Diary, left: dict[str, str], is_first: bool
) -> None:
    """A season found this: after a killed night of the first Sunday, no premises had a statement
    until the next one."""
    while add_days(last_day(), 1).isoweekday() != 7:
        next_day()
    diary.job("a", 10), diary.job("b", 20), diary.job("weekly", 30, on=sundays)
    if not is_first:
        night_run()
        diary.lines.clear()
    sunday = next_day()
    for name, state in left.items():
        now = clock.now()
        ended_at = now if state == "done" else None
        JobRun.objects.create(job=name, day=sunday, state=state, started_at=now, ended_at=ended_at)
    next_day()
    night_run()
    assert diary.lines == [
        *[(name, sunday) for name in ("a", "b", "weekly") if left.get(name) != "done"],
        *[(name, last_day()) for name in ("a", "b")],
    ]


def test_a_job_that_recounts_runs_once_for_the_days_without_it(own: Database, diary: Diary) -> None:
    diary.job("books", 90, recounts=True)
    first = next_day()
    night_run()
    next_day(), next_day()
    diary.failing.add("books")
    failed = last_day()
    night_run()
    last = next_day()
    assert [(due.day, due.missed) for due in undone()] == [(failed, True), (last, True)]
    diary.failing.clear()
    night_run()
    assert diary.lines == [("books", first), ("books", failed), ("books", last)]
    assert undone() == []


def test_a_recount_that_fails_is_done_for_later_days_all_the_same(
    own: Database, diary: Diary, own_jobs: list[Job]
) -> None:
    """An audit that names a fault is tried again every hour, and so are those of later nights."""
    first = next_day()

    def run(day: date) -> Outcome:
        diary.lines.append(("audit", day))
        if day in broken:
            raise InvariantBroken("It does not agree.")
        return Outcome()

    broken = {first}
    own_jobs.append(Job(name="audit", title="audit", order=90, run=run, recounts=True))
    night_run()
    later = next_day()
    night_run()
    assert {run.day: run.state for run in JobRun.objects.all()} == {first: "failed", later: "done"}
    assert [(due.day, due.failed) for due in undone()] == [(first, True)]
    night_run()  # an hour later: what is done is not done again
    assert [day for _, day in diary.lines] == [first, first, later, first]
    newest = next_day()
    broken.clear()
    night_run()
    assert undone() == []
    assert {run.state for run in JobRun.objects.filter(day__in=(first, later, newest))} == {"done"}


def test_a_job_that_takes_too_long_ends_and_the_others_go_on(
    own: Database, diary: Diary, own_jobs: list[Job], settings: Any
) -> None:
    def long(day: date) -> Outcome:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(20)")
        return Outcome()

    settings.NIGHT_LIMIT_S = 0.5
    own_jobs.append(Job(name="long", title="long", order=1, run=long, whole=False))
    diary.job("good", 20)
    assert [(run.job, run.state) for run in night_run()] == [("long", "failed"), ("good", "done")]
    assert JobFailure.objects.get().error.startswith("reading_too_long")


def test_up_to_a_day_and_not_beyond_the_days_that_ended(own: Database, diary: Diary) -> None:
    diary.job("a", 10)
    night_run()
    days = [next_day() for _ in range(3)]
    assert [run.day for run in night_run(until=days[1])] == days[:2]
    with pytest.raises(DayNotOver):
        night_run(until=add_days(days[2], 1))
    assert [run.day for run in night_run()] == days[2:]


@pytest.mark.parametrize("is_new", [False, True])
def test_a_year_with_a_slip_of_the_pen_is_no_day_to_begin_with(
    own: Database, diary: Diary, is_new: bool
) -> None:
    """A job that began then would have all the nights of the years since before it."""
    diary.job("a", 10)
    reached = last_day()
    if not is_new:
        night_run()
        next_day()
    diary.job("b", 20)
    assert night_run(until=date(2003, 3, 12)) == []
    assert min(day for day, _ in jobs_due()) == reached


def test_a_failure_is_kept_and_tried_again_before_the_jobs_next_day(
    own: Database, diary: Diary
) -> None:
    diary.job("bad", 10), diary.job("good", 20)
    diary.failing.add("bad")
    day = last_day()
    runs = {run.job: run for run in night_run()}
    assert runs["good"].state == "done"
    assert runs["bad"].state == "failed"
    assert "invariant_broken: It does not agree. {'account': 'x'}" in runs["bad"].error
    following = next_day()
    night_run()
    assert ("good", following) in diary.lines
    assert {(d.job.name, d.day, d.failed, d.missed) for d in undone()} == {
        ("bad", day, True, True),
        ("bad", following, False, False),
    }
    values = {m.name: m.samples[0].value for m in source() if m.samples}
    assert values["night_jobs_due"] == 2
    failed, missed = (alarm.rows() for alarm in ALARMS)
    assert [(row.subject.day, row.since) for row in failed] == [(day, day_bounds(day)[1])]
    assert "invariant_broken" in failed[0].words
    assert missed == []
    diary.failing.clear()
    night_run()
    assert [line for line in diary.lines if line[0] == "bad"] == [("bad", day), ("bad", following)]
    assert undone() == []
    kept = JobFailure.objects.order_by("pk")
    assert [(f.run.day, f.attempt) for f in kept] == [(day, 1), (day, 2)]
    done = JobRun.objects.get(job="bad", day=day)
    assert (done.state, done.attempts, done.error) == ("done", 3, "")


def test_what_a_whole_job_wrote_goes_with_its_failure(own: Database, own_jobs: list[Job]) -> None:
    def run(day: date) -> Outcome:
        factories.premises()
        raise InvariantBroken

    own_jobs.append(Job(name="half", title="half", order=1, run=run))
    night_run()
    from core.premises.models import Premises

    assert not Premises.objects.exists()
    assert JobRun.objects.get().state == "failed"


def test_one_runner_at_a_time(own: Database, diary: Diary) -> None:
    diary.job("a", 10)
    with psycopg.connect(own.app_url, autocommit=True) as other:
        other.execute("SELECT pg_advisory_lock(%s, 0)", [int(Lock.NIGHT)])
        with pytest.raises(NightRunning):
            night_run()
        assert not diary.lines
    _when_free(night_run)
    assert len(diary.lines) == 1


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("taken", [True, False])
def test_a_night_whose_session_is_lost_goes_on_alone_or_not_at_all(
    own: Database, own_jobs: list[Job], whole: bool, taken: bool
) -> None:
    """The lock of the nights ends with its session: a server that restarts ends both."""
    alone: list[bool] = []
    another = psycopg.connect(own.app_url, autocommit=True)

    def lost(day: date) -> Outcome:
        with psycopg.connect(own.owner_url, autocommit=True) as owner:
            owner.execute("SELECT pg_terminate_backend(%s, 5000)", [_backend()])
        if taken:
            another.execute("SELECT pg_advisory_lock(%s, 0)", [int(Lock.NIGHT)])
        JobRun.objects.count()
        return Outcome()

    def later(day: date) -> Outcome:
        with psycopg.connect(own.app_url, autocommit=True) as other:
            key = [int(Lock.NIGHT), 0]
            row = other.execute("SELECT pg_try_advisory_lock(%s, %s)", key).fetchone()
            alone.append(row is not None and not row[0])
        return Outcome()

    own_jobs += [
        Job(name="lost", title="lost", order=1, run=lost, whole=whole),
        Job(name="later", title="later", order=2, run=later),
    ]
    if taken:
        with pytest.raises(NightRunning):
            night_run()
    else:
        assert [run.state for run in night_run()] == ["running", "done"]
        assert not JobFailure.objects.exists()
    assert alone == ([] if taken else [True])
    key = [int(Lock.NIGHT)]
    assert another.execute("SELECT pg_try_advisory_lock(%s, 0)", key).fetchone() == (True,)
    another.close()


def _backend() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


def test_the_night_waits_for_what_began_before_it(
    own: Database, diary: Diary, monkeypatch: pytest.MonkeyPatch
) -> None:
    diary.job("a", 10)
    monkeypatch.setattr(quiet, "WITHIN_S", 0.2)
    with psycopg.connect(own.app_url) as other:
        other.execute("SELECT 1")
        with pytest.raises(quiet.NotQuiet):
            night_run()
    _when_free(night_run)
    assert len(diary.lines) == 1


@pytest.mark.parametrize("where", ["in", "after"])
def test_a_runner_that_is_killed_leaves_its_job_to_the_next(
    own: Database, diary: Diary, where: str, tmp_path: Path
) -> None:
    work = (stopping.night, where)
    with stopped(*work, environment=own.environment, output=tmp_path / "runner") as runner:
        assert runner.kill() == -signal.SIGKILL
    assert JobRun.objects.get().state == "running"
    diary.job("a", 1)
    _when_free(night_run)
    assert diary.lines == [("a", last_day())]
    run = JobRun.objects.get()
    assert (run.state, run.attempts) == ("done", 2)
    assert JobFailure.objects.get().error == "cut off"


def _when_free(act: Callable[[], Any]) -> None:
    """Try until the server notices that a client is dead."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            act()
            return
        except (NightRunning, quiet.NotQuiet):
            time.sleep(0.01)
    raise AssertionError("the dead runner's lock was never released")


def test_the_command_does_the_same_and_says_so(
    own: Database, diary: Diary, capsys: pytest.CaptureFixture[str]
) -> None:
    diary.job("a", 10)
    call_command("night")
    assert capsys.readouterr().out == f"{last_day()} a: done done=1\n"
    call_command("night")
    assert capsys.readouterr().out == "nothing is due\n"
    diary.failing.add("a")
    next_day()
    with pytest.raises(CommandError, match="1 of 1 jobs failed"):
        call_command("night", "--day", last_day().isoformat())
    assert jobs_due()
    assert clock.is_simulated()
