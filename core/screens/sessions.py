"""Run Django's middleware of sessions, cookies and forms for pages, and skip it for the API.

The API uses neither cookies nor forms: its callers present tokens. Under /api/ this middleware
would only cost time.
"""

from typing import Any

from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.csrf import CsrfViewMiddleware
from django.middleware.locale import LocaleMiddleware
from django.utils.deprecation import MiddlewareMixin

from core.api.limits import API


class _Aside(MiddlewareMixin):
    def __call__(self, request: HttpRequest) -> Any:
        if request.path_info.startswith(API):
            return self.get_response(request)
        return super().__call__(request)


class Sessions(_Aside, SessionMiddleware):
    """Load sessions, except under /api/."""


class Language(LocaleMiddleware):
    """Set the language of a request: under /api/ only by Accept-Language, as its caller says.

    The cookie keeps the choice of a person who reads pages. A terminal beside them has its own.
    """

    def process_request(self, request: HttpRequest) -> None:
        if request.path_info.startswith(API):
            request.COOKIES.pop(settings.LANGUAGE_COOKIE_NAME, None)
        super().process_request(request)


class Csrf(_Aside, CsrfViewMiddleware):
    """Protect forms, except under /api/, where no cookie is read."""

    def process_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if request.path_info.startswith(API):
            return None
        return super().process_view(request, *args, **kwargs)


class Authentication(_Aside, AuthenticationMiddleware):
    """Set `request.user` from the session, except under /api/."""


class Messages(_Aside, MessageMiddleware):
    """Carry messages to the next page, except under /api/."""


class Frames(_Aside, XFrameOptionsMiddleware):
    """Forbid framing, except under /api/, which has no pages."""
