"""Open a staff session at each sign-on in the admin, so that acts in the admin name a session.

`core.staff.apps` connects these receivers to the signals of `django.contrib.auth`.
"""

from typing import Any

from django.http import HttpRequest

from core.database import clock
from core.staff.models import StaffSession, User
from core.staff.services import session_start

SESSION_KEY = "staff_session"


def open_session(request: HttpRequest, user: User, **_: Any) -> None:
    """Open a staff session and store its key in the session of the browser. Note the sign-on.

    Raises SignOnRefused as `session_start` does.
    """
    session, _token = session_start(
        user=user, channel=StaffSession.Channel.ADMIN, verified=user.gave_code
    )
    request.session[SESSION_KEY] = session.pk
    User.objects.filter(pk=user.pk).update(last_login=session.started_at)


def close_session(request: HttpRequest, **_: Any) -> None:
    """End the staff session of the browser if it has not ended."""
    pk = request.session.get(SESSION_KEY, 0)
    StaffSession.objects.filter(pk=pk, ended_at=None).update(ended_at=clock.now())
