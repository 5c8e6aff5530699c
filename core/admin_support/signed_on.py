"""Who is acting in the admin: the staff session that the sign-on opened."""

from django.http import HttpRequest

from core.kernel.errors import DomainError
from core.staff.actor import StaffActor
from core.staff.models import StaffSession
from core.staff.services import SessionUnknown, actor_of
from core.staff.signals import SESSION_KEY

_KEPT = "_staff_actor"


def actor(request: HttpRequest) -> StaffActor:
    """The person and session of a request. Raises SessionUnknown or SessionExpired."""
    kept: StaffActor | None = getattr(request, _KEPT, None)
    if kept is None:
        session = (
            StaffSession.objects.select_related("user")
            .filter(pk=request.session.get(SESSION_KEY, 0), user=request.user.pk or 0)
            .first()
        )
        if session is None:
            raise SessionUnknown
        kept = actor_of(session)
        setattr(request, _KEPT, kept)
    return kept


def is_live(request: HttpRequest) -> bool:
    """Whether the session still stands: it may have ended, or its person have left."""
    try:
        actor(request)
    except DomainError:
        return False
    return True


def may(request: HttpRequest, power: str) -> bool:
    return is_live(request) and actor(request).may(power)
