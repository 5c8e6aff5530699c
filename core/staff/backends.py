"""Authenticate the admin's sign-on with the same check and the same limits as the API."""

from typing import Any

from django.contrib.auth.backends import BaseBackend
from django.http import HttpRequest

from core.kernel.errors import DomainError
from core.staff.devices import CONSOLE, Origin, cookie_name
from core.staff.models import User
from core.staff.services import sign_on_check
from core.traffic.addresses import address_of
from core.traffic.limits import Throttled


class LimitingBackend(BaseBackend):
    def authenticate(
        self,
        request: HttpRequest | None,
        username: str = "",
        password: str = "",
        code: str = "",
        **_: Any,
    ) -> User | None:
        """Return the user, None for a refusal. Raises Throttled."""
        origin = origin_of(request, username) if request else CONSOLE
        try:
            user, gave_code = sign_on_check(
                username=username, password=password, code=code, origin=origin
            )
        except Throttled:
            raise
        except DomainError:
            return None
        user.gave_code = gave_code
        return user

    def get_user(self, user_id: int) -> User | None:
        return User.objects.filter(pk=user_id, is_active=True).first()


def origin_of(request: HttpRequest, username: str) -> Origin:
    """Return the address of a browser, and the device token that it keeps for this person."""
    token = request.COOKIES.get(cookie_name(username), "")
    return Origin(address_of(request.META), token)
