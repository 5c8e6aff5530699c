"""Search everything that the person may see with one box (Ctrl-K).

The term is posted: a ticket's code is worth money, and an address is kept by browsers and proxies.
A UUID is looked for in every table that has one; other words in the columns that a page names as
`quick`. What the database would have to read a large table for is not asked.
"""

import dataclasses
import datetime
import re
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.core.exceptions import FieldDoesNotExist
from django.db import models
from django.db.models.constants import LOOKUP_SEP
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from core.admin_support import navigation
from core.admin_support.columns import link, url_of
from core.admin_support.contents import Place, administrations
from core.admin_support.readonly import ReadOnlyAdmin
from core.looks.recording import look_at_row
from core.staff.names import Named, with_name

MOST_OF_A_TABLE = 8
LONGEST = 96
_DAY = re.compile(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})")


@dataclasses.dataclass(frozen=True, slots=True)
class TableMatches:
    """The rows that were found in one table, with its name in the plural."""

    title: str
    rows: list[models.Model]


def view(request: HttpRequest) -> HttpResponse:
    """Show what a posted term finds; one single row is shown at once."""
    term = request.POST.get("q", "").replace("\0", "").strip()[:LONGEST]
    context = admin.site.each_context(request) | {"title": _("Search"), "searched": bool(term)}
    if term:
        finders = [part.finder for part in administrations() if part.finder]
        named = [document for finder in finders if (document := finder(request, term))]
        matches = list(matches_of(request, str(named[0].uuid) if named else term))
        rows = [row for group in matches for row in group.rows]
        tables = [] if named else tables_found(request, term)
        if len(rows) == 1 and not tables and not named:
            return HttpResponseRedirect(url_of(rows[0]))
        for row in rows:
            look_at_row(row)  # type: ignore[arg-type]
        left = [] if rows else list(archived(request, term))
        context |= {
            "named": named,
            "tables": tables,
            "found": [(group.title, [link(row) for row in group.rows]) for group in matches],
            "archived": left,
            "nothing": not (named or tables or rows or left),
        }
    response = TemplateResponse(request, "admin_support/search.html", context)
    response["Cache-Control"] = "no-store"
    return response


def matches_of(request: HttpRequest, term: str) -> Iterator[TableMatches]:
    """Find the rows that a term names, in the tables that the person may see, in their order."""
    for section in navigation.sections():
        for model, _icon in section.models:
            page = admin.site.get_model_admin(model)
            condition = _asked(model, page, term)
            if not condition or not page.has_view_permission(request):
                continue
            rows = list(page.get_queryset(request).filter(condition)[:MOST_OF_A_TABLE])
            if rows:
                yield TableMatches(capfirst(str(model._meta.verbose_name_plural)), rows)


def archived(request: HttpRequest, term: str) -> Iterator[tuple[str, str]]:
    """Yield the tables from which the row with a UUID left, with the words that name its archive.

    Only tables that the person may see are named.
    """
    ident = _uuid(term)
    if ident is None:
        return
    for section in navigation.sections():
        for model, _icon in section.models:
            page = admin.site.get_model_admin(model)
            if isinstance(page, ReadOnlyAdmin) and page.has_view_permission(request):
                words = page.archive_of(ident)
                if words:
                    yield capfirst(str(model._meta.verbose_name_plural)), words


def _asked(model: type[models.Model], page: Any, term: str) -> models.Q:
    """Return the condition that one of the columns is the term; none if none can be."""
    condition = models.Q()
    names = {field.name for field in model._meta.concrete_fields}
    quick: Sequence[str] = getattr(page, "quick", ())
    ident = _uuid(term)
    if ident is not None and "uuid" in names:
        by_uuid = getattr(page, "by_uuid", None)
        condition |= by_uuid(ident) if by_uuid else models.Q(uuid=ident)
    for lookup in quick:
        value = _read(model, lookup, term)
        if value is not None:
            condition |= models.Q((lookup, value))
    if issubclass(model, Named) and quick and ident is None:
        condition |= with_name(model, term)
    return condition


def _read(model: type[models.Model], lookup: str, term: str) -> Any:
    """Return the term as a value of the column that a lookup names; None if it is none."""
    field: Any = None
    for name in lookup.split(LOOKUP_SEP):
        try:
            field = model._meta.get_field(name)
        except FieldDoesNotExist:
            break  # the name of a comparison
        model = field.related_model or model
    ident = _uuid(term)
    if isinstance(field, models.UUIDField):
        return ident
    if ident is not None:
        return None
    if isinstance(field, models.DateField):
        return _day(term)
    if isinstance(field, models.IntegerField):
        return int(term) if term.isascii() and term.isdigit() and len(term) < 10 else None
    return term


def _uuid(term: str) -> UUID | None:
    try:
        return UUID(term)
    except ValueError:
        return None


def _day(term: str) -> datetime.date | None:
    written = _DAY.fullmatch(term)
    try:
        if written:
            day, month, year = map(int, written.groups())
            return datetime.date(year, month, day)
        return datetime.date.fromisoformat(term)
    except ValueError:
        return None


def tables_found(request: HttpRequest, term: str) -> list[dict[str, Any]]:
    """Return the tables whose names contain the term."""
    folded = term.casefold()
    return [
        table
        for place in Place
        for section in navigation.records(request, place)
        for table in section["tables"]
        if folded in table["title"].casefold()
    ]
