"""Read and run nightly jobs through the API and in the admin."""

from datetime import timedelta

import pytest

from core.database import clock
from core.kernel.errors import InvariantBroken
from core.longwork.models import LongWork
from core.longwork.services import work_do
from core.nights.jobs import Job, Outcome
from core.nights.models import JobRun
from core.nights.services import last_day
from core.staff.powers import Role
from tests.support.admin_desk import Desk, list_url, row_url
from tests.support.api import refused, staff_api

pytestmark = pytest.mark.django_db


def fail(day: object) -> Outcome:
    raise InvariantBroken


def test_what_was_done_and_what_was_not(own_jobs: list[Job]) -> None:
    own_jobs.append(Job(name="good", title="Good", order=1, run=lambda d: Outcome({"n": 3})))
    own_jobs.append(Job(name="bad", title="Bad", order=2, run=fail))
    auditor, organiser = staff_api(Role.AUDITOR), staff_api(Role.ORGANISER)
    assert [each["job"] for each in auditor.get("nights/undone").json()["items"]] == ["good", "bad"]
    refused(auditor.post("nights", {}), 403, "power_missing")
    until = {"until": last_day().isoformat()}
    asked = organiser.post("nights", until)
    assert (asked.status_code, asked.json()["state"]) == (202, "waiting")
    assert organiser.post("nights", until).json()["id"] == asked.json()["id"]
    assert not JobRun.objects.exists()
    assert work_do(asked.json()["id"])
    ended = organiser.get(f"long-work/{asked.json()['id']}").json()
    assert (ended["state"], ended["fault"]) == ("failed", "night_jobs_failed")
    assert [(run["job"], run["day"]) for run in ended["fault_data"]["jobs"]] == [
        ("bad", last_day().isoformat())
    ]
    assert ended["fault_data"]["done"] == 1
    tomorrow = (last_day() + timedelta(days=1)).isoformat()
    refused(organiser.post("nights", {"until": tomorrow}), 409, "day_not_over")
    failed_runs = auditor.get("nights", state="failed").json()["items"]
    assert [each["job"] for each in failed_runs] == ["bad"]
    assert failed_runs[0]["error"].startswith("invariant_broken")
    assert [e["failed"] for e in auditor.get("nights/undone").json()["items"]] == [True]

    desk = Desk(Role.ORGANISER)
    assert "invariant_broken" in desk.get("/admin/")
    assert desk.offers(JobRun, "run")
    assert "invariant_broken" in desk.get(row_url(JobRun.objects.get(job="bad")))
    own_jobs[1] = Job(name="bad", title="Bad", order=2, run=lambda d: Outcome())
    desk.do(JobRun, "run")
    assert work_do(LongWork.objects.get(state="waiting").pk)
    assert JobRun.objects.get(job="bad").state == "done"
    assert desk.get(list_url(JobRun))
    assert not Desk(Role.AUDITOR).offers(JobRun, "run")
    assert clock.now()
