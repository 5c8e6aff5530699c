"""Set the language of all screens and their strict content policy."""

from collections.abc import Callable
from typing import Final
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import translation

from core.api.limits import API

LANGUAGE_PARAMETER: Final = "lang"
_COOKIE_AGE_S: Final = 365 * 24 * 3600
_PLAYER: Final = "/terminal/player/"  # has a language of its own beside the operator's
ADMIN: Final = "/admin/"  # has a language of its own, and nothing to scan
_NEVER: Final = "microphone=(), geolocation=(), payment=(), usb=(), serial=()"
PERMISSIONS: Final = f"camera=(self), {_NEVER}"
ADMIN_PERMISSIONS: Final = f"camera=(), {_NEVER}"


def policy(live_url: str) -> str:
    """Return a policy that allows everything from here, and the boards' data from `live_url`."""
    live = urlsplit(live_url)
    elsewhere = f" {live.scheme}://{live.netloc}" if live.netloc else ""
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "img-src 'self' data:",
            "font-src 'self'",
            f"connect-src 'self'{elsewhere}",
            "media-src 'self'",
            "manifest-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
            "frame-ancestors 'none'",
        )
    )


POLICY: Final = policy(settings.LIVE_URL)
ADMIN_POLICY: Final = policy("")


class Screens:
    """Apply the language chosen by `?lang=`, keep it in a cookie, and set headers on every page.

    Place it after LocaleMiddleware, whose choice by cookie or Accept-Language it overrides. The
    policy forbids inline scripts and styles, text that is run as a script, and other origins; a
    view that sets a policy keeps it. The theme of the administration runs under it by
    `admin_support/expressions.js`.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info.startswith(API):
            return self._get_response(request)
        if request.path_info.startswith(ADMIN):
            return _protected(self._get_response(request), ADMIN_POLICY, ADMIN_PERMISSIONS)
        language = request.GET.get(LANGUAGE_PARAMETER, "")
        chosen = language if language in dict(settings.LANGUAGES) else ""
        if chosen:
            translation.activate(chosen)
            request.LANGUAGE_CODE = chosen
        response = self._get_response(request)
        if chosen and not request.path_info.startswith(_PLAYER):
            response.set_cookie(
                settings.LANGUAGE_COOKIE_NAME,
                chosen,
                max_age=_COOKIE_AGE_S,
                samesite="Lax",
                secure=settings.PRODUCTION,
                httponly=True,
            )
        return _protected(response, POLICY, PERMISSIONS)


def _protected(
    response: HttpResponseBase, content_policy: str, permissions: str
) -> HttpResponseBase:
    response.headers.setdefault("Content-Security-Policy", content_policy)
    response.headers.setdefault("Permissions-Policy", permissions)
    return response
