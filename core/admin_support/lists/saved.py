"""Offer the saved views of a list, and save and remove them."""

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.utils.translation import gettext

from core.admin_support import signed_on
from core.kernel.errors import DomainError
from core.reports import powers, views
from core.staff.powers import Role


def offered(page: Any, request: HttpRequest) -> dict[str, Any]:
    """Return the views of a list, each with whether it is the person's and open now."""
    if not signed_on.may(request, powers.SAVE_VIEWS):
        return {}
    by = signed_on.actor(request)
    present_query = views.query_of(request.META.get("QUERY_STRING", ""))
    views_here = views.views_of(by=by, table=page.model._meta.label_lower)
    return {
        "views": [
            {"view": view, "mine": view.owner_id == by.user_id, "open": view.query == present_query}
            for view in views_here
        ],
        "asked": present_query,
        "roles": [(role.value, role.label) for role in Role if role in by.roles],
    }


def answer(page: Any, request: HttpRequest) -> HttpResponse:
    """Save a view of the list, or remove one, and lead back to the list. Raises
    PermissionDenied.
    """
    if request.method != "POST":
        return HttpResponseNotAllowed(["POST"])
    if not page.has_view_permission(request):
        raise PermissionDenied
    by, typed = signed_on.actor(request), request.POST
    query = views.query_of(typed.get("query", ""))
    try:
        with transaction.atomic():
            if "remove" in typed:
                views.view_remove(by=by, pk=_number(typed["remove"]))
                message = gettext("The view is removed.")
            else:
                views.view_save(
                    by=by,
                    table=page.model._meta.label_lower,
                    name=typed.get("name", ""),
                    query=query,
                    role=typed.get("role", ""),
                )
                message = gettext("The view is saved.")
    except DomainError as error:
        messages.error(request, gettext(error.message))
    else:
        messages.success(request, message)
    return HttpResponseRedirect(f"../?{query}" if query else "../")


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 18 else 0
