"""Authenticate the admin's sign-on with the same check and lock as the API."""

from typing import Any

from django.contrib.auth.backends import BaseBackend
from django.http import HttpRequest

from core.kernel.errors import DomainError
from core.staff.models import User
from core.staff.services import sign_on_check


class LockingBackend(BaseBackend):
    def authenticate(
        self,
        request: HttpRequest | None,
        username: str = "",
        password: str = "",
        code: str = "",
        **_: Any,
    ) -> User | None:
        try:
            return sign_on_check(username=username, password=password, code=code)[0]
        except DomainError:
            return None

    def get_user(self, user_id: int) -> User | None:
        return User.objects.filter(pk=user_id, is_active=True).first()
