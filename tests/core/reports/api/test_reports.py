"""Read reports through the API as rows and as files."""

import pytest

from core.staff.powers import Role
from tests.support.api import refused, staff_api
from tests.support.reporting import Season

pytestmark = pytest.mark.django_db


def test_every_report_is_read_as_rows_and_as_files(season: Season) -> None:
    api, day = staff_api(Role.AUDITOR), season.contests[0].day.isoformat()
    refused(staff_api(Role.CASHIER).get("reports"), 403, "power_missing")
    for report in api.get("reports").json()["items"]:
        name = report["name"]
        assert api.get(f"reports/{name}", first=day).json()["report"] == name
        for kind in ("csv", "xlsx"):
            assert api.get(f"reports/{name}.{kind}", first=day).status_code == 200
    refused(api.get("reports/nothing"), 404, "report_unknown")
    refused(api.get("reports/outs", first="2030-02-02", last="2030-02-01"), 422, "period_refused")


def test_a_report_that_takes_too_long_is_refused(slow: None) -> None:
    api = staff_api(Role.AUDITOR)
    refused(api.get("reports/sales-by-day"), 409, "reading_too_long")
    refused(api.get("reports/sales-by-day.csv"), 409, "reading_too_long")
