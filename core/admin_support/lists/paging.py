"""Show a list page by page without an end, and tell how much of it was asked for.

A page begins after (or ends before) a row, whose key stands in the address. The database reads as
many rows as are shown, however deep the page is, and never counts a table.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any

from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import SEARCH_VAR
from django.core.exceptions import ObjectDoesNotExist
from django.core.paginator import Paginator
from django.db import models, transaction
from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.constants import LOOKUP_SEP
from django.http import HttpRequest
from django.utils.text import capfirst
from django.utils.translation import gettext, ngettext
from unfold.views import ChangeList

from core.admin_support.columns import day, money, whole
from core.admin_support.lists import choosing
from core.admin_support.lists.asking import Asked
from core.database.reading.limits import ReadingTooLong, limited

AFTER, BEFORE = "after", "before"
MOST_COUNTED = 100_000
TOTALS_LIMIT_S = 3.0


@dataclasses.dataclass(frozen=True, slots=True)
class Totals:
    """The number of rows, MOST_COUNTED at most, and sums by title. Sums of more rows are
    not told.
    """

    rows: int
    is_more: bool
    sums: list[tuple[str, str]]

    @property
    def in_words(self) -> str:
        number = {"n": whole(self.rows)}
        if self.is_more:
            return gettext("more than %(n)s rows") % number
        return ngettext("%(n)s row", "%(n)s rows", self.rows) % number


def totals_of(rows: "QuerySet[Any]", summed: Sequence[str] = ()) -> Totals | None:
    """Return the totals of rows, or None if the database needs too long for them."""
    few = rows.order_by()[: MOST_COUNTED + 1]
    try:
        with transaction.atomic(), limited(TOTALS_LIMIT_S):
            totals = few.aggregate(rows=Count("pk"), **{name: Sum(name) for name in summed})
    except ReadingTooLong:
        return None
    if totals["rows"] > MOST_COUNTED:
        return Totals(MOST_COUNTED, is_more=True, sums=[])
    titles = [capfirst(str(rows.model._meta.get_field(name).verbose_name)) for name in summed]
    sums = [(title, money(totals[name] or 0)) for title, name in zip(titles, summed, strict=True)]
    return Totals(totals["rows"], is_more=False, sums=sums)


class Pages(Paginator):  # type: ignore[type-arg]  # not a generic class when it runs
    """The template that links the pages: the theme asks a list's paginator for it."""

    template_name = "admin_support/list_pages.html"


class List(ChangeList):  # type: ignore[misc]  # unfold is not typed
    """The list of a `ReadOnlyAdmin`: what is asked, a page of it, and totals of what is asked."""

    asked: Asked
    older = newer = ""

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> "QuerySet[Any]":
        self._after, self._before = self._taken(AFTER), self._taken(BEFORE)
        page = self.model_admin
        self.asked = Asked(self.model, page.asks, request.GET, numbered_by=page.numbered_by)
        rows: QuerySet[Any] = super().get_queryset(request, exclude_parameters)
        condition = self.asked.condition()
        return rows.none() if condition is None else rows.filter(condition)

    def get_filters_params(self, params: Any = None) -> Any:
        left = super().get_filters_params(params)
        return {key: value for key, value in left.items() if key not in self.asked.fields}

    def get_results(self, request: HttpRequest) -> None:
        """Read the page that the address names, and one row more to know whether others follow."""
        size, rows = self.list_per_page, self.queryset
        order = [str(name) for name in rows.query.order_by]
        begin = self._after or self._before
        if self._before:
            order = [_reversed(name) for name in order]
        if begin:
            rows = rows.order_by(*order).filter(beyond(self._row(begin), order))
        rows_read = list(rows[: size + 1])
        page = rows_read[:size][:: -1 if self._before else 1]
        is_more = len(rows_read) > size
        if page and (is_more or self._before):
            self.older = self.get_query_string({AFTER: page[-1].pk})
        if page and (self._after or (self._before and is_more)):
            self.newer = self.get_query_string({BEFORE: page[0].pk})
        self.result_list = page
        self.result_count = self.full_result_count = len(page)
        self.show_full_result_count = self.show_admin_actions = False
        self.can_show_all = self.multi_page = False
        self.paginator = Pages(page, size)

    @property
    def is_asked(self) -> bool:
        return bool(self.asked.is_anything or self.has_active_filters or self.query)

    def choosable(self) -> int:
        """Return how many rows the list has that one act may be about; 0 if there are more."""
        many = len(self.queryset.order_by().values_list("pk")[: choosing.MOST + 1])
        return many if many <= choosing.MOST else 0

    def totals(self) -> Totals | None:
        """Return the totals of what is asked; None if nothing can be, or it takes too long."""
        return totals_of(self.queryset, self.model_admin.summed) if self.is_asked else None

    def archived(self) -> str:
        """Return which rows of what is asked may be in archives; empty if none can be there.

        Rows of a month that two persons retired leave the live store (docs/adr/0038).
        """
        if not (self.is_asked and getattr(self.model, "retires", False)):
            return ""
        last = self.model_admin.retired_until()
        if last is None or not self.asked.reaches(last):
            return ""
        sentence = gettext("Rows up to %(day)s were retired: those not listed are in the archives.")
        return sentence % {"day": day(last)}

    def kept(self) -> list[tuple[str, str]]:
        """Return the other parameters of the address, which stay when the questions change."""
        return [
            (name, value)
            for name, values in self.filter_params.items()
            for value in values
            if name not in self.asked.fields
        ]

    def unasked(self) -> str:
        """Return the address of the list without what is asked."""
        return str(self.get_query_string(remove=[*self.asked.fields, SEARCH_VAR]))

    def file(self, kind: str) -> str:
        """Return the address of the list as a file."""
        return f"{kind}/{self.get_query_string()}"

    def csv(self) -> str:
        return self.file("csv")

    def xlsx(self) -> str:
        return self.file("xlsx")

    def _taken(self, name: str) -> str:
        """Return a parameter of the address, and leave it out of every other address."""
        self.filter_params.pop(name, None)
        return str(self.params.pop(name, ""))

    def _row(self, key: str) -> Any:
        try:
            return self.root_queryset.get(pk=key)
        except (ObjectDoesNotExist, ValueError, TypeError) as error:
            raise IncorrectLookupParameters(error) from error


def _reversed(name: str) -> str:
    return name[1:] if name.startswith("-") else f"-{name}"


def beyond(row: models.Model, order: Sequence[str]) -> Q:
    """Return the condition that a row comes after this one in the order.

    The database puts NULL last, and first in a descending order.
    """
    condition, equal = Q(), Q()
    for signed in order:
        name, descending = signed.removeprefix("-"), signed.startswith("-")
        value = _value(row, name)
        further = Q()
        if value is None:
            if descending:
                further = Q((f"{name}__isnull", False))
        else:
            further = Q((f"{name}__{'lt' if descending else 'gt'}", value))
            if not descending:
                further |= Q((f"{name}__isnull", True))
        if further:
            condition |= equal & further
        equal &= Q((f"{name}__isnull", True)) if value is None else Q((name, value))
    return condition or Q(pk__in=())


def _value(row: Any, name: str) -> Any:
    for step in name.split(LOOKUP_SEP):
        row = None if row is None else getattr(row, step)
    return row.pk if isinstance(row, models.Model) else row
