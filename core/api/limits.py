"""Answer strangers within limits, so that they leave room for sales, staff and each other.

A request is a stranger's until its credentials have been found good in this process. Strangers have
limits by address and in all, and few places at once. Credentials that are not known yet are limited
by address and in all too, and probes by address, but in the memory of the process, so that no sale
waits for anything. A process of PROCESS_ROLE `sales` refuses what no terminal asks for.
"""

import math
import threading
from collections.abc import Callable, Iterable
from typing import Any

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.translation import gettext

from core.api import metrics, problems
from core.api.errors import Misdirected
from core.kernel.errors import DomainError
from core.staff import devices
from core.traffic import limits
from core.traffic.addresses import address_of
from core.traffic.limits import Throttled
from core.traffic.rates import Claim, Memory, Rate
from core.traffic.seats import Wsgi
from core.traffic.standing import good_credentials, standing_of

API = "/api/"
SIGN_ON = ("/api/v1/staff/sessions", "/api/v1/staff/sessions/")
PROBES = frozenset({"/livez", "/readyz", "/metrics"})
"""They tell a supervisor how the process is."""
FILES = ("/live/", settings.STATIC_URL)
"""Boards read them all the time; the proxy gives them out by itself."""
SALES = "sales"
PRESENTING = Rate(per_s=10, burst=200)
"""Requests with credentials that are not known yet, of one address: premises that come back."""
PRESENTING_IN_ALL = Rate(per_s=200, burst=4_000)
"""The same, of all addresses: all premises come back when the process begins again."""
SIGNING_ON = Rate(per_s=2, burst=60)
"""Sign-ons of one address, good or bad: each costs as much as many refusals."""
PROBING = Rate(per_s=20, burst=200)
"""Probes of one address: supervisors ask every few seconds."""
_EARLY = "refused early"
_REFUSED = problems.plain_body(Throttled)
_BURST_S, _TOTAL_BURST_S = 6, 2


class Limits:
    """The middleware. A view says with `units` how dear it is, and with `for_terminals` whether
    processes for sales answer it, too.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response
        self._presenting = Memory()
        self._places = threading.BoundedSemaphore(settings.ANONYMOUS_AT_ONCE)

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        presented = _presented(request)
        standing = standing_of(request)
        standing.is_known = bool(presented) and presented in good_credentials
        try:
            self._admit(request, presented)
        except Throttled as refusal:
            return _refusal(refusal, request)
        try:
            response = self._get_response(request)
        finally:
            if standing.has_place:
                self._places.release()
        if presented and standing.is_proven:
            good_credentials.add(presented)
        return response

    def _admit(self, request: HttpRequest, presented: str) -> None:
        """Take what a request takes before its view is known. Raises Throttled."""
        path = request.path_info
        if standing_of(request).is_known or path.startswith(FILES):
            return
        if presented or path in PROBES or path in SIGN_ON:
            self._need_room(request)
        else:
            self._enter(request)

    def process_view(self, request: HttpRequest, view: Any, *_: Any) -> HttpResponseBase | None:
        """Refuse what this process is not for, and take what the view costs a stranger."""
        kind = getattr(view, "cls", None) or getattr(view, "view_class", None)
        is_open = request.path_info in PROBES or request.path_info.startswith(FILES)
        is_ours = settings.PROCESS_ROLE != SALES or getattr(kind, "for_terminals", False)
        if not is_ours and not is_open:
            return _refusal(Misdirected(), request)
        standing = standing_of(request)
        if is_open or standing.is_known or getattr(kind, "asks_credentials", False):
            return None
        try:
            if not standing.has_place and not _has_own_limits(request):
                self._enter(request)
            more = getattr(kind, "units", 1) - 1
            if more:
                limits.take(*_claims(request, more))
        except Throttled as refusal:
            return _refusal(refusal, request)
        return None

    def _need_room(self, request: HttpRequest) -> None:
        """Take one request of what this process counts by itself. Raises Throttled."""
        claims = _counted_here(request.path_info, address_of(request.META))
        refusal = self._presenting.take(claims)
        if refusal is not None:
            limits.refuse(refusal)
            raise Throttled(refusal.wait_s)

    def _enter(self, request: HttpRequest) -> None:
        """Take one request of a stranger, and a place. Raises Throttled."""
        limits.take(*_claims(request, 1))
        if not self._places.acquire(blocking=False):
            raise Throttled
        standing_of(request).has_place = True


def refusing_early(application: Wsgi) -> Wsgi:
    """Wrap the application so that who was refused a moment ago is refused without it.

    A flood of requests without credentials then costs little more than reading them.
    """

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        wait_s = _refused_s(environ)
        if wait_s <= 0:
            return application(environ, start_response)
        metrics.observe(environ["REQUEST_METHOD"], _EARLY, 429, 0.0)
        headers = [
            ("Content-Type", problems.CONTENT_TYPE),
            ("Content-Length", str(len(_REFUSED))),
            ("Retry-After", str(math.ceil(wait_s))),
        ]
        start_response("429 Too Many Requests", headers)
        return [_REFUSED]

    return answer


def _refused_s(environ: dict[str, Any]) -> float:
    path, presented = environ["PATH_INFO"], environ.get("HTTP_AUTHORIZATION", "")
    if (
        presented in good_credentials
        or devices.COOKIE_PREFIX in environ.get("HTTP_COOKIE", "")
        or path.startswith(FILES)
    ):
        return 0.0
    address = address_of(environ)
    if presented or path in PROBES or path in SIGN_ON:
        return limits.refused_s(*(claim.key for claim in _counted_here(path, address)))
    return limits.refused_s(
        limits.place_of("anonymous-from", address), limits.place_of("anonymous", "all")
    )


def _counted_here(path: str, address: str) -> tuple[Claim, ...]:
    """Return the claims on what a process counts by itself: a probe, a sign-on, or credentials."""
    if path in PROBES:
        return (limits.claim("probing-from", address, PROBING),)
    if path in SIGN_ON:
        return (limits.claim("signing-on-from", address, SIGNING_ON),)
    return (
        limits.claim("presenting-from", address, PRESENTING),
        limits.claim("presenting", "all", PRESENTING_IN_ALL),
    )


def _presented(request: HttpRequest) -> str:
    """Return the credentials that a request has: a token, or the token of a browser's device."""
    return request.META.get("HTTP_AUTHORIZATION", "") or _device(request)


def _device(request: HttpRequest) -> str:
    tokens = (
        token
        for name, token in request.COOKIES.items()
        if name.startswith(devices.COOKIE_PREFIX) and _is_ours(token)
    )
    return next(tokens, "")


def _is_ours(token: str) -> bool:
    try:
        devices.read(token)
    except signing.BadSignature:
        return False
    return True


def _has_own_limits(request: HttpRequest) -> bool:
    """Return whether a request signs on, or comes from a browser that somebody signed on with."""
    return request.path_info in SIGN_ON or bool(_device(request))


def _claims(request: HttpRequest, units: float) -> tuple[Claim, Claim]:
    each, total = settings.ANONYMOUS_PER_S, settings.ANONYMOUS_TOTAL_PER_S
    return (
        limits.claim(
            "anonymous-from", address_of(request.META), Rate(each, _BURST_S * each), units
        ),
        limits.claim("anonymous", "all", Rate(total, _TOTAL_BURST_S * total), units),
    )


def _refusal(error: DomainError, request: HttpRequest) -> HttpResponse:
    """Return the refusal as a problem, or for a page as a sentence, in the person's language."""
    with translation.override(translation.get_language_from_request(request)):
        response = problems.answer(error, request)
        if not request.path_info.startswith(API):
            response.content = gettext(error.message).encode()
            response["Content-Type"] = "text/plain; charset=utf-8"
    return response
