"""Write a list as CSV, line by line while it is read, or as a spreadsheet.

In CSV money is whole cents and times are UTC, in the spreadsheet money is euros and times are
Madrid's, as in the files of reports. States are in words in both.
"""

import csv
import datetime
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from decimal import Decimal
from typing import Any

from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import label_for_field, lookup_field
from django.core.exceptions import PermissionDenied
from django.db import models
from django.db.models import QuerySet
from django.http import (
    FileResponse,
    HttpRequest,
    HttpResponse,
    HttpResponseRedirect,
    StreamingHttpResponse,
)
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.utils.html import strip_tags
from django.utils.text import capfirst
from django.utils.translation import gettext, override

from core.admin_support import signed_on
from core.admin_support.columns import MONEY, url_of, whole
from core.api.papers import as_file
from core.database import clock
from core.database.reading import progress
from core.database.reading.limits import limited
from core.kernel.days import MADRID, natural_day
from core.longwork import powers as longwork
from core.longwork.services import work_ask
from core.looks.recording import look_at_list
from core.receipts.document import present_language
from core.reports.outputs import EUROS, XLSX, plain, safe_text

MOST_IN_CSV = 100_000
MOST_IN_SHEET = 20_000
AT_ONCE = 2_000
KINDS = {"csv": MOST_IN_CSV, "xlsx": MOST_IN_SHEET}
EXPORT = "lists.export"
"""The kind of long work that writes a list to a file."""
LATER = longwork.READ
"""The power that it needs, beside that to read the list."""


def rows_of(page: Any, rows: "QuerySet[Any]", total: int = 0) -> Iterator[list[Any]]:
    """Read the rows with the greatest key first, some at a time, each with its cells.

    It tells how many of `total` were read (`core.database.reading.progress`).
    """
    fields = {field.name: field for field in page.model._meta.concrete_fields}
    names = [(name, _field(page, fields, name)) for name in page.columns]
    ordered, done = rows.order_by("-pk"), 0
    part = ordered[:AT_ONCE]
    while True:
        with limited():
            read = [[_cell(page, row, name, field) for name, field in names] for row in part]
            last = min((row.pk for row in part), default=None)
        done += len(read)
        progress.tell(done, total)
        yield from read
        if len(read) < AT_ONCE:
            return
        part = ordered.filter(pk__lt=last)[:AT_ONCE]


def _field(page: Any, fields: dict[str, Any], name: str) -> Any:
    """Return the field of a column, or None for one that the page computes."""
    return None if hasattr(page, name) else fields.get(name)


def _cell(page: Any, row: Any, name: str, field: Any) -> Any:
    """Return the value of a cell: a number, an instant, a day, or words."""
    if field is None:
        value = lookup_field(name, row, page)[2]
        return value if isinstance(value, int) and not isinstance(value, bool) else _words(value)
    value = getattr(row, field.name)
    if field.flatchoices and value is not None:
        return str(dict(field.flatchoices).get(value, value))
    if isinstance(value, bool) or isinstance(field, models.ForeignKey):
        return _words(value)
    return value if isinstance(value, int | datetime.date) or value is None else _words(value)


def _words(value: Any) -> str:
    return "" if value is None else " ".join(strip_tags(str(value)).split())


def answer(page: Any, request: HttpRequest, kind: str) -> HttpResponseBase:
    """Answer with the list that the address asks for, once it is on record who takes it.

    A file is whole: one that is too long for a request is offered as long work, which a POST asks
    for. Raises PermissionDenied.
    """
    if not page.has_view_permission(request):
        raise PermissionDenied
    try:
        changelist = page.get_changelist_instance(request)
    except IncorrectLookupParameters:
        return HttpResponseRedirect("../?e=1")
    query = request.META.get("QUERY_STRING", "")
    if is_longer(changelist.queryset, KINDS[kind]):
        return _later(page, request, kind, query)
    return download(page, changelist.queryset, kind, asked=f"{kind} {query}")


def download(page: Any, rows: "QuerySet[Any]", kind: str, *, asked: str) -> HttpResponseBase:
    """Answer with rows as a file, after the download and its query are on record."""
    look_at_list(page.model, asked=asked)
    if kind == "csv":
        lines = as_csv(page, rows, present_language())
        response: Any = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    else:
        response = FileResponse(as_xlsx(page, rows), content_type=XLSX)
    answer: HttpResponseBase = as_file(response, name_of(page, kind))
    return answer


def is_longer(rows: "QuerySet[Any]", most: int) -> bool:
    return len(rows.order_by().values_list("pk")[: most + 1]) > most


def name_of(page: Any, kind: str) -> str:
    """Return the name of the file of a list."""
    return f"{page.model._meta.model_name}-{natural_day(clock.now())}.{kind}"


def _later(page: Any, request: HttpRequest, kind: str, query: str) -> HttpResponseBase:
    """Offer a long file as long work; ask for it if the person says so."""
    by = signed_on.actor(request)
    if not by.may(LATER):
        words = gettext("The list has more than %(most)s rows. Ask for less, for example by day.")
        refused: HttpResponse = page.admin_site.refusal(
            request, 409, gettext("Not done"), words % {"most": whole(KINDS[kind])}
        )
        return refused
    if request.method == "POST":
        content = {"table": page.model._meta.label_lower, "query": query, "form": kind}
        return HttpResponseRedirect(url_of(work_ask(kind=EXPORT, by=by, content=content)))
    context = page.admin_site.each_context(request) | {
        "title": gettext("A long list"),
        "most": whole(KINDS[kind]),
        "form": kind.upper(),
        "back": f"../?{query}",
    }
    return TemplateResponse(request, "admin_support/file_later.html", context, status=409)


class _Lines:
    """A file for the writer of CSV that gives each line back."""

    def write(self, line: str) -> str:
        return line


def as_csv(page: Any, rows: "QuerySet[Any]", language: str, total: int = 0) -> Iterator[bytes]:
    """Return the lines of the file, as they are read: the names of the columns, then the rows."""
    writer = csv.writer(_Lines(), lineterminator="\r\n")
    names = ["name" if name == "__str__" else name for name in page.columns]
    # A spreadsheet takes the file for one of its own country without this mark.
    yield b"\xef\xbb\xbf"
    yield writer.writerow(names).encode()
    with override(language):
        for row in rows_of(page, rows, total):
            yield writer.writerow([plain(value) for value in row]).encode()


def as_xlsx(page: Any, rows: "QuerySet[Any]", total: int = 0) -> Any:
    """Return an open file with one sheet."""
    titles = [capfirst(str(label_for_field(name, page.model, page))) for name in page.columns]
    # The library takes a tenth of the start of a process, and few processes need it.
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell

    book = Workbook(write_only=True)
    sheet: Any = book.create_sheet(page.model._meta.model_name[:31])
    sheet.freeze_panes = "A2"
    sheet.append(titles)
    for row in rows_of(page, rows, total):
        line = []
        for name, value in zip(page.columns, row, strict=True):
            cell = WriteOnlyCell(sheet, _cell_value(name, value))
            if name.endswith(MONEY):
                cell.number_format = EUROS
            line.append(cell)
        sheet.append(line)
    with ExitStack() as failed:
        out = failed.enter_context(tempfile.TemporaryFile())
        book.save(out)
        out.seek(0)
        failed.pop_all()  # the response closes it
    return out


def _cell_value(name: str, value: Any) -> Any:
    if isinstance(value, int) and name.endswith(MONEY):
        return Decimal(value) / 100
    if isinstance(value, datetime.datetime):
        return value.astimezone(MADRID).replace(tzinfo=None)
    return safe_text(value) if isinstance(value, str) else value
