"""Refuse in the database a nightly job that is done twice or contradicts itself."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from core.database import clock
from core.journal.rules import broken
from core.kernel.days import add_days, natural_day
from core.nights.journal_rules import AHEAD
from core.nights.models import JobFailure, JobRun

pytestmark = pytest.mark.django_db
DAY = date(2030, 3, 4)


def run(**changes: Any) -> JobRun:
    return JobRun.objects.create(
        **{"job": "a", "day": DAY, "state": "running", "started_at": clock.now()} | changes
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"attempts": 0},
        {"state": "done", "ended_at": datetime(2000, 1, 1, tzinfo=UTC)},
        {"error": "It failed."},
        {"state": "failed", "ended_at": datetime(2100, 1, 1, tzinfo=UTC)},
        {"state": "done"},
        {"state": "failed", "error": "It failed."},
    ],
    ids=str,
)
def test_a_run_that_contradicts_itself(changes: dict[str, Any]) -> None:
    with pytest.raises(DatabaseError), transaction.atomic():
        run(**changes)


def test_a_job_has_one_run_for_a_day_and_is_done_once() -> None:
    begun = run()
    with pytest.raises(DatabaseError), transaction.atomic():
        run()
    done = {"state": "done", "ended_at": clock.now()}
    assert JobRun.objects.filter(pk=begun.pk).update(**done) == 1
    with pytest.raises(DatabaseError), transaction.atomic():
        JobRun.objects.filter(pk=begun.pk).update(state="running", ended_at=None)
    assert str(begun) == "2030-03-04 a"


def test_what_a_night_listed_stays() -> None:
    """A program could empty the list of those who paid themselves."""
    done = run()
    listed = {"state": "done", "ended_at": clock.now(), "listed": {"paid": [1]}}
    JobRun.objects.filter(pk=done.pk).update(**listed)
    for changes in ({"listed": {}}, {"counts": {"paid": 0}}, {"attempts": 2}):
        with pytest.raises(DatabaseError, match="stays as it is"), transaction.atomic():
            JobRun.objects.filter(pk=done.pk).update(**changes)


def test_a_job_of_a_day_that_is_not_over_is_found() -> None:
    """A program could call the audits of years to come done: no night would do them."""
    today = natural_day(clock.now())
    run(day=add_days(today, -1))
    assert list(broken(AHEAD)) == []
    ahead = [run(day=add_days(today, days)).pk for days in (0, 1, 400)]
    assert sorted(row for _, row, _ in broken(AHEAD)) == ahead


def test_a_failure_gives_its_reason_and_stays() -> None:
    now = clock.now()
    attempt = {"run": run(), "attempt": 1, "started_at": now, "failed_at": now}
    with pytest.raises(DatabaseError), transaction.atomic():
        JobFailure.objects.create(**attempt, error="")
    failure = JobFailure.objects.create(**attempt, error="books_differ")
    with pytest.raises(DatabaseError), transaction.atomic():
        failure.delete()
