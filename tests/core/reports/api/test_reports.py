"""Read reports through the API as rows and as files."""

import hashlib

import pytest

from core.longwork.services import work_do
from core.staff.powers import Role
from tests.support.api import refused, staff_api
from tests.support.reporting import Season

pytestmark = pytest.mark.django_db


def test_every_report_is_read_as_rows_and_as_files(season: Season) -> None:
    api, day = staff_api(Role.AUDITOR), season.contests[0].day.isoformat()
    refused(staff_api(Role.CASHIER).get("reports"), 403, "power_missing")
    for report in api.get("reports").json()["items"]:
        name = report["name"]
        assert api.get(f"reports/{name}.json", first=day).json()["report"] == name
        for kind in ("csv", "xlsx"):
            assert api.get(f"reports/{name}.{kind}", first=day).status_code == 200
    refused(api.get("reports/nothing.json"), 404, "report_unknown")
    backwards = {"first": "2030-02-02", "last": "2030-02-01"}
    refused(api.get("reports/outs.json", **backwards), 422, "period_refused")


def test_a_report_that_takes_too_long_is_refused(slow: None) -> None:
    api = staff_api(Role.AUDITOR)
    refused(api.get("reports/sales-by-day.json"), 409, "reading_too_long")
    refused(api.get("reports/sales-by-day.csv"), 409, "reading_too_long")


def test_a_report_is_written_by_a_worker_however_long_it_takes() -> None:
    """It is asked for, looked at until it has ended, and taken, as on the screens."""
    api = staff_api(Role.AUDITOR)
    body = {"first": "2030-02-01", "last": "2030-02-03", "form": "csv"}
    refused(staff_api(Role.CASHIER).post("reports/sales-by-day/files", body), 403, "power_missing")
    answer = api.post("reports/sales-by-day/files", body)
    assert (answer.status_code, answer.json()["state"]) == (202, "waiting")
    again = api.post("reports/sales-by-day/files", body)
    assert again.json()["id"] == answer.json()["id"], "the same work"
    refused(api.post("reports/nothing/files", body), 404, "report_unknown")
    refused(api.post("reports/sales-by-day/files", {**body, "form": "doc"}), 422, "fields_invalid")
    backwards = {**body, "first": "2030-02-05"}
    refused(api.post("reports/sales-by-day/files", backwards), 422, "period_refused")
    assert work_do(answer.json()["id"])
    done = api.get(f"long-work/{answer.json()['id']}").json()
    assert (done["state"], done["file_name"]) == ("done", "sales-by-day-2030-02-01-2030-02-03.csv")
    file = api.get(f"long-work/{answer.json()['id']}/file")
    written = file.getvalue()
    assert hashlib.sha256(written).hexdigest() == done["file_sha256"]
    assert b"day" in written.splitlines()[0]
