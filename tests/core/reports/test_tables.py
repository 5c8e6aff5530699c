"""Refuse unknown reports and impossible periods."""

from datetime import date
from typing import Any

import pytest

from core.reports import selectors
from core.reports.tables import (
    PeriodRefused,
    ReportUnknown,
)

pytestmark = pytest.mark.django_db


def test_what_is_refused(by: Any) -> None:
    with pytest.raises(ReportUnknown):
        selectors.report(by=by, name="nothing")
    for first, last in ((date(2030, 1, 2), date(2030, 1, 1)), (date(2000, 1, 1), date(2030, 1, 1))):
        with pytest.raises(PeriodRefused):
            selectors.report(by=by, name="outs", first=first, last=last)
