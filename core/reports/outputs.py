"""Write a report's table as CSV, as a spreadsheet and as JSON, with the same figures in each."""

import csv
import datetime
import io
import re
from decimal import Decimal
from typing import Any

from core.kernel.days import MADRID
from core.reports.tables import Kind, Table

EUROS = '#,##0.00 "€"'
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_DANGEROUS = ("=", "+", "-", "@", "\t", "\r", "\n")
_NEXT_CELL = re.compile(r"(?<=[;\t\r\n])(?=[ \"]*[=+\-@])")
"""The places where a spreadsheet that parts CSV by semicolons, as in Spain, begins a formula. It
takes a quote after one for the begin of a cell, and the quotes of the whole text for none, so that
a line of the text is a row.
"""
_IN_NO_SHEET = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")


def as_csv(table: Table) -> str:
    """Return the names of the columns, the rows, and the sums; money in whole cents, times in
    UTC.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow([column.name for column in table.report.columns])
    rows = [*table.rows, table.totals] if _summed(table) else table.rows
    for row in rows:
        writer.writerow([plain(value) for value in row])
    return out.getvalue()


def plain(value: Any) -> str | int:
    """Return a value as a CSV file has it: times in UTC, and text that is no formula."""
    if value is None:
        return ""
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.UTC).isoformat()
    if isinstance(value, datetime.date):
        return value.isoformat()
    return value if isinstance(value, int) else safe_text(str(value))


def safe_text(text: str) -> str:
    """Return a text that every spreadsheet can hold, and none takes for a formula."""
    text = _NEXT_CELL.sub("'", _IN_NO_SHEET.sub("\ufffd", text))
    return f"'{text}" if text.startswith(_DANGEROUS) else text


def as_xlsx(table: Table) -> bytes:
    """Return one sheet with titles, rows and sums; money in euros, times in Madrid's time."""
    # The library takes a tenth of the start of a process, and few processes need it.
    from openpyxl import Workbook
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    book = Workbook()
    sheet: Any = book.active
    columns = table.report.columns
    sheet.title = table.report.name[:31]
    sheet.append([str(column.title) for column in columns])
    rows = [*table.rows, table.totals] if _summed(table) else table.rows
    for row in rows:
        sheet.append([_cell(v, c.kind) for v, c in zip(row, columns, strict=True)])
    for place, column in enumerate(columns, start=1):
        letter = get_column_letter(place)
        sheet.column_dimensions[letter].width = 18
        if column.kind is Kind.CENTS:
            for cell in sheet[letter][1:]:
                cell.number_format = EUROS
    for line in (1, len(rows) + 1) if _summed(table) else (1,):
        for cell in sheet[line]:
            cell.font = Font(bold=True)
    sheet.freeze_panes = "A2"
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _cell(value: Any, kind: Kind) -> Any:
    if value is None:
        return None
    if kind is Kind.CENTS:
        return Decimal(value) / 100
    if isinstance(value, datetime.datetime):
        return value.astimezone(MADRID).replace(tzinfo=None)
    return safe_text(value) if isinstance(value, str) else value


def as_document(table: Table) -> dict[str, Any]:
    """Return the table for the API: its columns, and each row as an object by column name."""
    names = [column.name for column in table.report.columns]
    return {
        "report": table.report.name,
        "first": table.period.first.isoformat(),
        "last": table.period.last.isoformat(),
        "columns": [
            {"name": c.name, "title": str(c.title), "kind": str(c.kind)}
            for c in table.report.columns
        ],
        "rows": [dict(zip(names, map(_json, row), strict=True)) for row in table.rows],
        "totals": {
            column.name: total
            for column, total in zip(table.report.columns, table.totals, strict=True)
            if column.summed
        },
    }


def _json(value: Any) -> Any:
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.UTC).isoformat().replace("+00:00", "Z")
    return value.isoformat() if isinstance(value, datetime.date) else value


def _summed(table: Table) -> bool:
    return any(column.summed for column in table.report.columns)
