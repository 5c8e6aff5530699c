"""Put the nightly jobs of all apps in the order of the night."""

from datetime import date, timedelta
from pathlib import Path

import pytest

from core.contributions import ContributedTwice
from core.nights.jobs import Job, Outcome, all_jobs, every_day, sundays
from tests.support.contributing import contributed

NIGHTS = Path(__file__).resolve().parents[3] / "docs" / "operations" / "nights.md"
SUNDAY = date(2030, 3, 10)


def job(name: str, order: int) -> Job:
    return Job(name=name, title=name, order=order, run=lambda day: Outcome())


def test_jobs_stand_by_order_then_by_name() -> None:
    with contributed("nightly", "JOBS", [job("b", 10), job("c", 5)], [job("a", 10)]):
        assert [each.name for each in all_jobs()] == ["c", "a", "b"]
    shipped = all_jobs()
    assert [each.order for each in shipped] == sorted(each.order for each in shipped)


def test_the_table_of_the_nights_names_every_job() -> None:
    table = "".join(line for line in NIGHTS.read_text("utf-8").splitlines() if line[:1] == "|")
    missing = {each.name for each in all_jobs() if f"`{each.name}`" not in table}
    assert missing == set(), "the table of docs/operations/nights.md"


def test_a_name_is_contributed_once() -> None:
    with (
        contributed("nightly", "JOBS", [job("a", 1)], [job("a", 2)]),
        pytest.raises(ContributedTwice),
    ):
        all_jobs()


def test_a_weekly_job_runs_for_sundays_only() -> None:
    week = [SUNDAY - timedelta(days=number) for number in range(7)]
    assert [day for day in week if sundays(day)] == [SUNDAY]
    assert all(map(every_day, week))
