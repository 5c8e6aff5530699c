"""Write one log line, count once and set the clock's headers for every request, at little cost.

The line never contains bodies, query strings, paths (it has the route), codes, tokens or PINs.
"""

import re
import secrets
import time
from collections.abc import Callable
from typing import Any

import structlog
from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.duration import duration_iso_string
from rest_framework.permissions import SAFE_METHODS

from core.api import acting, logs, metrics
from core.api.limits import API
from core.api.shapes import utc_text
from core.database import clock
from core.journal import acting as journal

REQUEST_ID_HEADER = "X-Request-Id"
TIME_HEADER = "X-Server-Time"
SIMULATED_HEADER = "X-Simulated-Time"
UNMATCHED = "unmatched"
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}\Z")
_SLOW_S = 1.0


def put_header(response: HttpResponseBase, name: str, value: str) -> None:
    """Set a header of printable ASCII, which Django need not read for what no header may hold."""
    response.headers._store[name.lower()] = (name, value)


def stamp_time(response: HttpResponseBase) -> None:
    """Put the clock's headers on a response; none if the database cannot be reached."""
    try:
        instant, offset = clock.recent()
    except DatabaseError:
        return
    put_header(response, TIME_HEADER, utc_text(instant))
    if offset:
        response[SIMULATED_HEADER] = f"+{duration_iso_string(offset)}"


class RequestLog:
    """Give each request an id and log it.

    The id is the caller's `X-Request-Id` if it has the form of one. Refusals, faults and slow
    requests are always logged; of the others one in ACCESS_LOG_EVERY, none if that is 0. Of those
    that were throttled one a second is, with how many it stands for: a flood fills no disk.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response
        self._every: int = settings.ACCESS_LOG_EVERY
        self._seen = 0
        self._throttled, self._throttled_from_s = 0, 0.0

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        started = time.perf_counter()
        offered = request.META.get("HTTP_X_REQUEST_ID", "")
        request_id = offered if _REQUEST_ID.match(offered) else secrets.token_hex(8)
        request.request_id = request_id  # type: ignore[attr-defined]
        structlog.contextvars.bind_contextvars(request_id=request_id)
        try:
            response = self._get_response(request)
            elapsed = time.perf_counter() - started
            status = response.status_code
            match = request.resolver_match
            route = match.route if match else UNMATCHED
            metrics.observe(request.method or "", route, status, elapsed)
            if status == 429:
                self._write_throttled(request, route, elapsed)
            elif status >= 400 or elapsed >= _SLOW_S or self._sampled():
                self._write(request, route, status, elapsed)
        finally:
            journal.end()
            structlog.contextvars.unbind_contextvars("request_id")
        put_header(response, REQUEST_ID_HEADER, request_id)
        if request.path.startswith(API):
            stamp_time(response)
        return response

    def process_view(self, request: HttpRequest, view: Any, *_: Any) -> None:
        """Begin an act named by its route for a page that writes. API views begin theirs in
        `acting`.
        """
        if request.method not in SAFE_METHODS and not request.path.startswith(API):
            acting.begin(request)

    def _sampled(self) -> bool:
        self._seen += 1  # threads may lose a count; sampling needs no exact one
        return bool(self._every) and self._seen % self._every == 0

    def _write_throttled(self, request: HttpRequest, route: str, elapsed: float) -> None:
        self._throttled += 1
        if time.monotonic() >= self._throttled_from_s:
            self._write(request, route, 429, elapsed, throttled=self._throttled)
            self._throttled, self._throttled_from_s = 0, time.monotonic() + 1

    def _write(
        self, request: HttpRequest, route: str, status: int, elapsed: float, **more: int
    ) -> None:
        fields: dict[str, Any] = {
            "method": request.method,
            "route": route,
            "status": status,
            "duration_ms": round(elapsed * 1000, 2),
            **(getattr(request, "acting", None) or {}),
            **more,
        }
        code = getattr(request, "problem_code", None)
        if code:
            fields["problem"] = code
        logs.info("request", fields)
