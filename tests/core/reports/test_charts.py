"""Draw a report as SVG, with every text escaped."""

import io
from datetime import date
from xml.etree import ElementTree

import openpyxl
import pytest

from core.reports import charts, outputs, tables
from core.reports.tables import (
    Column,
    Kind,
    Period,
    Picture,
    Report,
)

pytestmark = pytest.mark.django_db


def test_a_chart_escapes_and_spreadsheets_get_no_formulas() -> None:
    report = Report(
        name="t",
        title="<b>",
        about="",
        order=1,
        columns=(Column("a", "a"), Column("b", "b", Kind.WHOLE, summed=True)),
        picture=Picture("a", ["b"]),
    )
    rows = [("<script>", 3), ("=1+1", -4)]
    table = tables.Table(report, Period(date(2030, 1, 1), date(2030, 1, 2)), rows, (None, -1))
    picture = charts.svg(table)
    assert "<script>" not in picture
    ElementTree.fromstring(picture)  # noqa: S314  (our own)
    assert "'=1+1" in outputs.as_csv(table)
    sheet = openpyxl.load_workbook(io.BytesIO(outputs.as_xlsx(table))).active
    assert sheet is not None
    assert sheet["A3"].value == "'=1+1"
