"""Django's middleware of sessions, cookies and forms, kept for the screens that need them.

The API knows neither cookies nor forms: its callers present tokens. There these layers would only
cost time, so under /api/ they step aside.
"""

from typing import Any

from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.csrf import CsrfViewMiddleware
from django.utils.deprecation import MiddlewareMixin

API = "/api/"


class _Aside(MiddlewareMixin):
    def __call__(self, request: HttpRequest) -> Any:
        if request.path_info.startswith(API):
            return self.get_response(request)
        return super().__call__(request)


class Sessions(_Aside, SessionMiddleware):
    """Sessions, except under /api/."""


class Csrf(_Aside, CsrfViewMiddleware):
    """Protection of forms, except under /api/, where no cookie is looked at."""

    def process_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        if request.path_info.startswith(API):
            return None
        return super().process_view(request, *args, **kwargs)


class Authentication(_Aside, AuthenticationMiddleware):
    """`request.user` from the session, except under /api/."""


class Messages(_Aside, MessageMiddleware):
    """Messages to the next page, except under /api/."""


class Frames(_Aside, XFrameOptionsMiddleware):
    """No framing of pages; the API has none."""
