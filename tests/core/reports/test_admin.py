"""Show the list of reports, each report, its chart and its files in the admin."""

import pytest

from core.reports.tables import reports
from core.staff.powers import Role
from tests.support.admin_desk import Desk, text_of
from tests.support.reporting import Season

pytestmark = pytest.mark.django_db


def test_every_report_is_shown_with_its_files(season: Season) -> None:
    desk, day = Desk(Role.ORGANISER), season.contests[0].day.isoformat()
    listed = desk.get("/admin/reports/")
    for name in [report.name for report in reports()]:
        assert f"/admin/reports/{name}/" in listed
        desk.get(f"/admin/reports/{name}/", first=day)
        for kind in ("csv", "xlsx"):
            assert desk.client.get(f"/admin/reports/{name}.{kind}").status_code == 200
    page = desk.client.get("/admin/reports/sales-by-day/", {"first": day, "last": day})
    assert "€9.00" in text_of(page)
    assert b"<svg" in page.content
    wrong = desk.get("/admin/reports/sales-by-day/", first=day, last="2029-01-01")
    assert "begins before it ends" in wrong
    assert desk.client.get("/admin/reports/nothing/").status_code == 404


def test_reports_are_not_for_everybody() -> None:
    cashier = Desk(Role.CASHIER)
    assert cashier.client.get("/admin/reports/").status_code == 403
    assert "/admin/reports/" not in cashier.get("/admin/")


def test_a_page_that_takes_too_long_says_so(slow: None) -> None:
    desk = Desk(Role.AUDITOR)
    assert b"Ask for less" in desk.client.get("/admin/reports/sales-by-day/").content
    for path, sentence in (("", b"Ask for less"), ("sales-by-day.csv", b"Or ask for less")):
        answer = desk.client.get(f"/admin/reports/{path}")
        assert (answer.status_code, sentence in answer.content) == (409, True)


def test_a_period_is_compared_with_the_one_before(season: Season) -> None:
    desk = Desk(Role.ORGANISER, language="ca")
    days = [contest.day.isoformat() for contest in season.contests]
    url, last = "/admin/reports/sales-by-day/", {"first": days[1], "last": days[1]}
    page = desk.client.get(url, {**last, "with": "before"})
    assert "9,00 €" in text_of(page) and "+11,1 %" in text_of(page)
    assert "9,00 €" not in text_of(desk.client.get(url, last))
    long_ago = desk.client.get(url, {**last, "with": "year"})
    assert "–" in text_of(long_ago) and long_ago.status_code == 200
