"""Do an act to the rows that a person chose in a list, or to all that the list shows.

The list sends the rows that were chosen. The address of the act then has their keys. So its pages
and its proposal are about these rows, whatever comes onto the list meanwhile.
"""

from collections.abc import Mapping
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import (
    Http404,
    HttpRequest,
    HttpResponseNotAllowed,
    HttpResponseRedirect,
    QueryDict,
)
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.admin_support import signed_on
from core.admin_support.columns import named, whole
from core.admin_support.lists import files

MOST = 200
"""Rows of one act: as many as a person can read."""
ROWS = "rows"


def keys(parameters: Mapping[str, str]) -> list[int]:
    """Return the keys of the chosen rows from the parameters of an act's address."""
    texts = parameters.get(ROWS, "").split(".")
    return [int(text) for text in texts if text.isascii() and text.isdigit() and len(text) < 18]


@admin.display(description=_("choose"))
def box(row: Any) -> SafeString:
    """Return the box of a row, which belongs to the form below the list."""
    return format_html(
        '<input type="checkbox" name="row" value="{}" form="chosen" aria-label="{}">',
        row.pk,
        gettext("Choose %(row)s") % {"row": named(row)},
    )


def offered(page: Any, request: HttpRequest) -> list[Any]:
    """Return the acts that this person may do to chosen rows."""
    if not page.chosen_acts:
        return []
    by = signed_on.actor(request)
    return [act for act in page.chosen_acts if act.open_to(by, None)]


def answer(page: Any, request: HttpRequest) -> HttpResponseBase:
    """Lead to the page of the act for the rows that were chosen, or give them as a file.

    Raises PermissionDenied.
    """
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    if not page.has_view_permission(request):
        raise PermissionDenied
    query, do = request.POST.get("query", ""), request.POST.get("do", "")
    rows = _rows(page, request, query)
    chosen = list(rows.order_by().values_list("pk", flat=True)[: MOST + 1])
    if not 0 < len(chosen) <= MOST:
        few = gettext("Choose rows of the list first.")
        many = gettext("At most %(most)s rows at once. Filter the list, or choose fewer.")
        messages.warning(request, many % {"most": whole(MOST)} if chosen else few)
        return HttpResponseRedirect(f"../?{query}" if query else "../")
    if do in files.KINDS:
        return files.download(page, rows, do, asked=f"{do} {ROWS}={len(chosen)} {query}")
    if do not in {act.name for act in offered(page, request)}:
        raise Http404
    meta, parameters = page.model._meta, QueryDict(mutable=True)
    parameters[ROWS] = ".".join(map(str, sorted(chosen)))
    list_url = reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist")
    parameters["back"] = f"{list_url}?{query}" if query else list_url
    return HttpResponseRedirect(f"../{do}/?{parameters.urlencode()}")


def _rows(page: Any, request: HttpRequest, query: str) -> "QuerySet[Any]":
    """Return the rows that were chosen one by one, or all that the list shows."""
    if "all" in request.POST:
        of_list = signed_on.request_of(signed_on.actor(request), query)
        try:
            rows: QuerySet[Any] = page.get_changelist_instance(of_list).queryset
        except IncorrectLookupParameters:
            return page.model._default_manager.none()  # type: ignore[no-any-return]
        return rows
    picked = keys({ROWS: ".".join(request.POST.getlist("row")[: MOST + 1])})
    return page.get_queryset(request).filter(pk__in=picked)  # type: ignore[no-any-return]
