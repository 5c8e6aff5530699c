"""Identify the person who acts in the admin, by the staff session that the sign-on opened."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from django.http import HttpRequest, QueryDict

from core.kernel.errors import DomainError
from core.staff.actor import StaffActor
from core.staff.models import StaffSession, User
from core.staff.services import SessionUnknown, actor_of
from core.staff.signals import SESSION_KEY
from core.traffic.standing import standing_of

_ATTRIBUTE = "_staff_actor"
_shown_to: ContextVar[HttpRequest | None] = ContextVar("shown_to", default=None)


@contextmanager
def shown_to(request: HttpRequest) -> Iterator[None]:
    """Draw links for the person of a request: `reader` returns the request."""
    token = _shown_to.set(request)
    try:
        yield
    finally:
        _shown_to.reset(token)


def reader() -> HttpRequest | None:
    """Return the request whose page is drawn now; None if none is, as for a file."""
    return _shown_to.get()


def actor(request: HttpRequest) -> StaffActor:
    """Return the person and session of a request. Raises SessionUnknown, SessionExpired."""
    by: StaffActor | None = getattr(request, _ATTRIBUTE, None)
    if by is None:
        session = (
            StaffSession.objects.select_related("user")
            .filter(pk=request.session.get(SESSION_KEY, 0), user=request.user.pk or 0)
            .first()
        )
        if session is None:
            raise SessionUnknown
        by = actor_of(session)
        setattr(request, _ATTRIBUTE, by)
        standing_of(request).is_proven = True
    return by


def request_of(by: StaffActor, query: str) -> HttpRequest:
    """Return a request for a list by a person who asked for it before, to be read by a worker."""
    request = HttpRequest()
    request.method = "GET"
    request.GET = QueryDict(query)
    request.META["QUERY_STRING"] = query
    request.user = User.objects.get(pk=by.user_id)
    setattr(request, _ATTRIBUTE, by)
    return request


def is_live(request: HttpRequest) -> bool:
    """Return whether the session is in force and its person's account open."""
    try:
        actor(request)
    except DomainError:
        return False
    return True


def may(request: HttpRequest, power: str) -> bool:
    """Return whether the session is in force and its person has the power."""
    return is_live(request) and actor(request).may(power)
