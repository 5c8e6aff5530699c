"""Write a report as CSV and as a spreadsheet with the same figures."""

import csv
import io
import re
from typing import Any
from xml.etree import ElementTree

import openpyxl
import pytest

from core.reports import charts, outputs, selectors
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
