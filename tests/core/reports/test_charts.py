"""Draw a report as SVG, with every text escaped."""

import io
from datetime import date
from xml.etree import ElementTree

import openpyxl
import pytest
from django.utils.translation import override

from core.reports import charts, outputs, tables
from core.reports.tables import (
    Column,
    Kind,
    Period,
    Picture,
    Report,
)

MONEY = Report(
    name="m",
    title="Money",
    about="",
    order=1,
    columns=(Column("day", "day"), Column("cents", "cents", Kind.CENTS)),
    picture=Picture("day", ["cents"]),
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


@pytest.mark.parametrize(
    ("cents", "marks"),
    [
        ([0], ["€0.00", "€0.50", "€1.00"]),
        ([0, 0, 0], ["€0.00", "€0.50", "€1.00"]),
        ([7], ["€0.00", "€0.50", "€1.00"]),
        ([230], ["€0", "€1", "€2", "€3"]),
        ([1_234_56], ["€0", "€500", "€1,000", "€1,500"]),
        ([1_234_567_89, 0], ["€0", "€500,000", "€1,000,000", "€1,500,000"]),
        ([-150, 250], ["-€2", "-€1", "€0", "€1", "€2", "€3"]),
    ],
)
def test_the_marks_of_an_axis_are_round_and_differ(cents: list[int], marks: list[str]) -> None:
    """One row and many, all zero, a few cents, and below zero."""
    rows: list[tables.Row] = [(f"day {number}", each) for number, each in enumerate(cents)]
    table = tables.Table(MONEY, Period(date(2030, 1, 1), date(2030, 1, 2)), rows, ())
    with override("en"):
        picture = ElementTree.fromstring(charts.svg(table))  # noqa: S314  (our own)
    texts = [each.text for each in picture.iter("text") if each.get("text-anchor") == "end"]
    assert texts == marks
    exact = [each.text for each in picture.iter("title")]
    assert exact[0] is not None and exact[0].startswith("day ")
    tops = [float(each.get("y", "")) for each in picture.iter("rect")]
    assert all(0 <= top <= charts.HEIGHT - charts.BOTTOM for top in tops)
