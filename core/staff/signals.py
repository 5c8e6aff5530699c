"""A sign-on in the admin opens a staff session, so that acts done there name one, too."""

from typing import Any

from django.contrib.auth.signals import user_logged_in, user_logged_out
from django.dispatch import receiver
from django.http import HttpRequest

from core.database import clock
from core.staff.models import StaffSession, User
from core.staff.services import second_factor_of, session_start

SESSION_KEY = "staff_session"


@receiver(user_logged_in)
def _open(request: HttpRequest, user: User, **_: Any) -> None:
    session, _token = session_start(
        user=user, channel=StaffSession.Channel.ADMIN, verified=second_factor_of(user) is not None
    )
    request.session[SESSION_KEY] = session.pk


@receiver(user_logged_out)
def _close(request: HttpRequest, **_: Any) -> None:
    pk = request.session.get(SESSION_KEY, 0)
    StaffSession.objects.filter(pk=pk, ended_at=None).update(ended_at=clock.now())
