"""Write a report as CSV and as a spreadsheet with the same figures."""

import csv
import io
import re
from datetime import date
from typing import Any
from xml.etree import ElementTree

import openpyxl
import pytest

from core.reports import charts, outputs, selectors
from core.reports.tables import Column, Period, Report, Table
from tests.support.reporting import Season

pytestmark = pytest.mark.django_db


def test_the_same_figures_in_every_form(by: Any, season: Season) -> None:
    first = season.contests[0].day
    table = selectors.report(by=by, name="sales-by-day", first=first, last=first)
    lines = list(csv.DictReader(io.StringIO(outputs.as_csv(table))))
    assert lines[0]["net_cents"] == lines[-1]["net_cents"] == "900"
    sheet = openpyxl.load_workbook(io.BytesIO(outputs.as_xlsx(table))).active
    assert sheet is not None
    values = list(sheet.iter_rows(values_only=True))
    assert values[0][0] == "day"
    assert values[1][-1] == values[2][-1] == 9
    assert sheet["G2"].number_format == outputs.EUROS
    picture = charts.svg(table)
    tree = ElementTree.fromstring(picture)  # noqa: S314  (our own)
    assert [drawn.attrib["role"] for drawn in tree] == ["img"]
    assert not re.search(r"(href|src|url\()", picture)


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize(
    "reason",
    ['Broken;"=1+1;', "Broken\n=1+1;", "Broken\r\n@x", 'Broken;  ""-2+3', 'Broken\t"+1', "a;=1;=2"],
)
def test_no_cell_is_a_formula_at_whatever_sign_a_spreadsheet_parts_the_file(
    reason: str, delimiter: str
) -> None:
    """A quote begins a cell, and where it is in the middle of one, an end of line begins a row."""
    columns = (Column("terminal", "terminal"), Column("reason", "reason"), Column("by", "by"))
    report = Report(name="t", title="t", about="", order=1, columns=columns)
    period = Period(date(2030, 1, 1), date(2030, 1, 2))
    table = Table(report, period, [("T-1", reason, "Aina")], (None, None, None))
    rows = csv.reader(io.StringIO(outputs.as_csv(table), newline=""), delimiter=delimiter)
    cells = [cell.lstrip() for row in rows for cell in row]
    assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))] == []
