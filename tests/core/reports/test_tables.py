"""Refuse unknown reports and impossible periods."""

import re
from datetime import date
from typing import Any

import pytest

from core.reports import selectors
from core.reports.tables import (
    Period,
    PeriodRefused,
    ReportUnknown,
    reports,
)
from core.tools.embedded.server import ROOT

pytestmark = pytest.mark.django_db


def test_the_page_of_reports_has_each() -> None:
    page = (ROOT / "docs" / "reports.md").read_text("utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in re.findall("`(.+?)`", row)}
    assert {report.name for report in reports()} == named, "the table of docs/reports.md"


def test_what_is_refused(by: Any) -> None:
    with pytest.raises(ReportUnknown):
        selectors.report(by=by, name="nothing")
    for first, last in ((date(2030, 1, 2), date(2030, 1, 1)), (date(2000, 1, 1), date(2030, 1, 1))):
        with pytest.raises(PeriodRefused):
            selectors.report(by=by, name="outs", first=first, last=last)


def test_a_period_has_one_before_and_one_of_the_same_days_of_the_week() -> None:
    period = Period(date(2027, 3, 1), date(2027, 3, 7))
    assert period.before() == Period(date(2027, 2, 22), date(2027, 2, 28))
    year = period.year_before()
    assert year == Period(date(2026, 3, 2), date(2026, 3, 8))
    assert year.first.weekday() == period.first.weekday()
