"""Show nightly jobs in the admin, and run those that are due."""

from datetime import date, timedelta

import pytest

from core.database import clock
from core.kernel.days import day_bounds, natural_day
from core.longwork.models import LongWork
from core.longwork.services import work_do
from core.nights import admin
from core.nights.jobs import Job, Outcome
from core.nights.models import JobFailure, JobRun
from core.staff.powers import Role
from tests.support import factories
from tests.support.admin_desk import Desk, list_url, row_url

pytestmark = pytest.mark.django_db


def test_a_run_is_shown_with_what_it_did_and_its_failures(own_jobs: list[Job]) -> None:
    own_jobs.append(Job(name="a", title="Balances", order=1, run=lambda day: Outcome()))
    now = clock.now()
    run = JobRun.objects.create(
        job="a", day=date(2030, 3, 4), state="failed", started_at=now, ended_at=now, error="no"
    )
    JobFailure.objects.create(run=run, attempt=1, started_at=now, failed_at=now, error="books")
    desk = Desk(Role.AUDITOR)
    page = desk.get(row_url(run))
    assert "Balances" in page and "books" in page
    assert not desk.offers(JobRun, "run")
    assert admin.title_of("gone") == "gone"


def test_only_who_may_sees_and_runs_them(own_jobs: list[Job]) -> None:
    organiser, cashier = Desk(Role.ORGANISER), Desk(Role.CASHIER)
    assert organiser.offers(JobRun, "run")
    assert cashier.client.get(list_url(JobRun)).status_code == 403
    assert cashier.ask(JobRun, "run").status_code == 404
    factories.time_pass(days=1)
    page = Desk(Role.ORGANISER).get("/admin/")
    assert "Nothing waits for you." in page


def test_a_missed_job_is_an_alarm_until_it_is_run(own_jobs: list[Job]) -> None:
    own_jobs.append(Job(name="a", title="Balances", order=1, run=lambda day: Outcome()))
    midnight = day_bounds(natural_day(clock.now()))[1]
    factories.time_to(midnight + timedelta(hours=5))
    missed = "A job of a night was missed"
    organiser = Desk(Role.ORGANISER)
    assert missed not in organiser.get("/admin/")
    factories.time_to(midnight + timedelta(hours=7))
    organiser = Desk(Role.ORGANISER)
    assert missed in organiser.get("/admin/")
    assert missed not in Desk(Role.AUDITOR).get("/admin/")
    organiser.do(JobRun, "run")
    assert missed in organiser.get("/admin/")
    assert work_do(LongWork.objects.get().pk)
    assert missed not in organiser.get("/admin/")
