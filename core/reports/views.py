"""Save, share and remove views of lists, and tell which ones a person has."""

from urllib.parse import parse_qsl, urlencode

from django.db import IntegrityError, transaction
from django.db.models import Q

from core.database import clock
from core.kernel.errors import Conflict, Forbidden, Invalid, NotFound
from core.reports import powers
from core.reports.models import SavedView
from core.staff.actor import StaffActor

MOST_VIEWS = 30
"""Views of one list that one person can have."""
NAME_CHARS, QUERY_CHARS = 80, 1000
# They name a page of the list, or what the browser adds, and not what is asked.
_NOT_ASKED = frozenset({"after", "before", "e", "p"})


class ViewNameTaken(Conflict):
    code = "view_name_taken"
    message = "You have a view of that name for this list."


class ViewRefused(Invalid):
    code = "view_refused"
    message = "A view needs a name of up to 80 characters, and a condition for the list."


class RoleNotYours(Forbidden):
    code = "role_not_yours"
    message = "You can share a view only with a role that you have."


class TooManyViews(Conflict):
    code = "too_many_views"
    message = "You have too many views of this list; remove one."


class ViewUnknown(NotFound):
    code = "view_unknown"
    message = "There is no such view, or it is not yours."


def query_of(address: str) -> str:
    """Return the query of a list's address in one order, without the parameter of the page."""
    parameters = [(name, value) for name, value in parse_qsl(address) if name not in _NOT_ASKED]
    return urlencode(sorted(parameters))


def view_save(*, by: StaffActor, table: str, name: str, query: str, role: str = "") -> SavedView:
    """Save what is asked of a list under a name, and share it with a role of the person.

    Raises PowerMissing, ViewRefused, RoleNotYours, ViewNameTaken, TooManyViews.
    """
    by.need(powers.SAVE_VIEWS)
    name, normal_query = name.strip(), query_of(query)
    if not normal_query or not 0 < len(name) <= NAME_CHARS or len(normal_query) > QUERY_CHARS:
        raise ViewRefused
    if role and role not in by.roles:
        raise RoleNotYours(role=role)
    own = SavedView.objects.filter(owner=by.user_id, table=table, removed_at=None)
    if own.count() >= MOST_VIEWS:
        raise TooManyViews(most=MOST_VIEWS)
    try:
        with transaction.atomic():
            return SavedView.objects.create(
                table=table,
                name=name,
                query=normal_query,
                owner_id=by.user_id,
                saved_in_id=by.session_id,
                role=role,
                saved_at=clock.now(),
            )
    except IntegrityError as error:
        raise ViewNameTaken(name=name) from error


def view_remove(*, by: StaffActor, pk: int) -> None:
    """Remove a view of the person's own, also for those whom it is shared with.

    Raises PowerMissing, ViewUnknown.
    """
    by.need(powers.SAVE_VIEWS)
    own = SavedView.objects.filter(pk=pk, owner=by.user_id, removed_at=None)
    if not own.update(removed_at=clock.now()):
        raise ViewUnknown


def views_of(*, by: StaffActor, table: str) -> list[SavedView]:
    """Return the person's own views of a list, and those shared with a role of theirs, by name."""
    by.need(powers.SAVE_VIEWS)
    mine = Q(owner=by.user_id) | Q(role__in=sorted(by.roles), owner__is_active=True)
    views = SavedView.objects.filter(mine, table=table, removed_at=None).select_related("owner")
    return list(views.order_by("name", "pk"))
