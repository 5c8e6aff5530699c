"""Answer the terminals' hot paths without what pages need.

Sessions, forms, frames and their middleware are not for programs that present a token, and finding
the language costs each sale as much as its answer. Here a path of a `LeanView` goes to its view
directly, with the same answer and the same headers; a test compares them. Place it behind
`core.api.limits` and before the middleware of pages.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.db import connections
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.security import SecurityMiddleware
from django.urls import Resolver404, ResolverMatch, resolve, set_script_prefix
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.log import log_response
from whitenoise.middleware import WhiteNoiseMiddleware

from core.api.limits import API
from core.api.middleware import put_header
from core.api.views import LeanView

_MOST_HOSTS: Final = 256


class HotPaths:
    """The middleware. Requests of other paths go through all middleware behind it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response
        self._fixed: dict[str, ResolverMatch] = {}
        self._of_uuid: dict[str, tuple[str, ResolverMatch]] = {}
        self._hosts: set[tuple[str, ...]] = set()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        match = self._match(request)
        if match is None:
            return self._get_response(request)
        request.resolver_match = match
        self._need_our_host(request)
        language = _accepted(request.META.get("HTTP_ACCEPT_LANGUAGE", ""))
        translation.activate(language)
        request.LANGUAGE_CODE = language
        response: HttpResponseBase = match.func(request, *match.args, **match.kwargs)
        if response.has_header("Vary"):
            patch_vary_headers(response, ("Accept-Language",))
        else:
            put_header(response, "Vary", "Accept-Language")
        if "Content-Language" not in response.headers:
            put_header(response, "Content-Language", language)
        if not response.streaming and "Content-Length" not in response.headers:
            put_header(response, "Content-Length", str(len(response.content)))  # type: ignore[attr-defined]
        return response

    def _need_our_host(self, request: HttpRequest) -> None:
        """Raise DisallowedHost, as for every other request. A name that is ours is read once."""
        named = (request.META.get("HTTP_HOST", ""), *settings.ALLOWED_HOSTS)
        if settings.USE_X_FORWARDED_HOST or named not in self._hosts:
            request.get_host()
            if len(self._hosts) < _MOST_HOSTS:
                self._hosts.add(named)

    def _match(self, request: HttpRequest) -> ResolverMatch | None:
        """Return the view of a hot path. Paths that differ only in a UUID are looked up once."""
        path = request.path_info
        match = self._fixed.get(path)
        if match is None and request.method == "POST" and path.startswith(API):
            parts = _UUID.split(path)
            before = self._of_uuid.get("/".join(parts[::2])) if len(parts) == 3 else None
            if before is not None:
                return _with_uuid(*before, parts[1])
            try:
                resolved = resolve(path)
            except Resolver404:
                return None
            if is_hot(resolved):
                match = resolved
                if not (resolved.args or resolved.kwargs):
                    self._fixed[path] = resolved
                elif len(parts) == 3 and [*resolved.kwargs.values()] == [UUID(parts[1])]:
                    (name,) = resolved.kwargs
                    self._of_uuid["/".join(parts[::2])] = name, resolved
        return match


_UUID: Final = re.compile(r"(?<=/)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?=/|$)")


def _with_uuid(name: str, match: ResolverMatch, ident: str) -> ResolverMatch:
    """Return the match of an address that differs only in its UUID."""
    kwargs = {name: UUID(ident)}
    return ResolverMatch(
        match.func,
        (),
        kwargs,
        match.url_name,
        [*match.app_names],
        [*match.namespaces],
        match.route,
        match.tried,
        captured_kwargs=kwargs,
        extra_kwargs=match.extra_kwargs,  # type: ignore[attr-defined]
    )


def is_hot(match: ResolverMatch) -> bool:
    """Return whether a path is that of a `LeanView`."""
    kind = getattr(match.func, "view_class", None)
    return isinstance(kind, type) and issubclass(kind, LeanView)


@lru_cache(maxsize=64)
def _accepted(header: str) -> str:
    """Return the language for an Accept-Language header; nothing else decides (core.screens)."""
    request = HttpRequest()
    request.META["HTTP_ACCEPT_LANGUAGE"] = header
    return translation.get_language_from_request(request)


class Handler(WSGIHandler):
    """Answer the posts of programs by Django's handler, without Django's signals of a request.

    Receivers of these signals look four times at every connection and cache, which costs a tenth of
    a sale in Python. Their work is done once and directly, before the answer: a broken
    connection of the thread is closed. Queries are kept with DEBUG alone, and the caches of a
    process hold nothing open. The receivers of others are told of all other requests.

    Nor do they pass the middleware of files and that of security. The headers of the latter are the
    same in every answer, and are added at the end. Where it redirects to HTTPS, they pass both.
    """

    _middleware_chain: Callable[[HttpRequest], Any]  # Django's own name for it

    def load_middleware(self, is_async: bool = False) -> None:
        super().load_middleware(is_async)
        self._behind: Callable[[HttpRequest], Any] = self._middleware_chain
        self._security: SecurityMiddleware | None = None
        self._secured: dict[bool, dict[str, tuple[str, str]]] = {}
        security = getattr(self._middleware_chain, "__wrapped__", None)
        if isinstance(security, SecurityMiddleware) and not security.redirect:
            self._security = security
            self._behind = security.get_response
            files = getattr(self._behind, "__wrapped__", None)
            if isinstance(files, WhiteNoiseMiddleware):
                self._behind = files.get_response

    def _security_headers(self, request: HttpRequest) -> dict[str, tuple[str, str]]:
        """Return what the middleware of security adds to an answer, by its small letters."""
        is_secure = request.is_secure()
        headers = self._secured.get(is_secure)
        if headers is None:
            blank = HttpResponse()
            present = {*blank.headers}
            if self._security is not None:
                self._security.process_response(request, blank)
            headers = {
                name.lower(): (name, value) for name, value in blank.items() if name not in present
            }
            self._secured[is_secure] = headers
        return headers

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Any:
        is_program = environ["REQUEST_METHOD"] == "POST" and environ["PATH_INFO"].startswith(API)
        if not is_program or settings.DEBUG:
            return super().__call__(environ, start_response)
        for connection in connections.all(initialized_only=True):
            connection.close_if_unusable_or_obsolete()
        request = self.request_class(environ)
        set_script_prefix(environ["SCRIPT_NAME"])  # the request has read it from what was given
        response = self._behind(request)
        if response.status_code >= 400:
            log_response(
                "%s: %s", response.reason_phrase, request.path, response=response, request=request
            )
        present = response.headers._store  # Django's own name: by its small letters, each header
        headers = [*present.values()]
        headers += [
            pair for name, pair in self._security_headers(request).items() if name not in present
        ]
        headers += [("Set-Cookie", each.output(header="")) for each in response.cookies.values()]
        start_response(f"{response.status_code} {response.reason_phrase}", headers)
        if response.streaming:
            response._handler_class = type(self)
            response._resource_closers.append(request.close)
            return response
        request.close()
        for closer in response._resource_closers:
            closer()
        return [response.content]
