"""Pass requests that need the seeds of emissions on to the process that has them.

In production the proxy chooses the process (docs/deploy/nginx.conf). Where there is none, as with
`make up`, DEALER is the address of the process of the kind `play`, and web processes without
SEED_KEYS send it what `core.kernel.holding.needs_seeds` names.
"""

import http.client
from collections.abc import Iterable, Iterator
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, urlsplit

import structlog

from core.api import problems
from core.kernel.errors import Unavailable
from core.kernel.holding import needs_seeds
from core.traffic.addresses import address_of
from core.traffic.seats import Wsgi

TIMEOUT_S = 300  # a month of nights is one request
# They are about one connection, or written again for the next one.
_OWN = {
    *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer"),
    *("transfer-encoding", "upgrade", "x-forwarded-for"),
}
log = structlog.get_logger("passing_on")


def passing_on(application: Wsgi, dealer: str) -> Wsgi:
    """Wrap the application so that requests that need seeds are answered by `dealer`."""
    place = urlsplit(dealer).netloc

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if not needs_seeds(environ["PATH_INFO"]):
            return application(environ, start_response)
        link = http.client.HTTPConnection(place, timeout=TIMEOUT_S)
        try:
            response = _asked(link, environ)
            content, status = response.read(), HTTPStatus(response.status)
            headers = [each for each in response.getheaders() if each[0].lower() not in _OWN]
        except (OSError, http.client.HTTPException) as error:
            log.warning("process with the seeds does not answer", error=str(error))
            content, status, headers = _AWAY, HTTPStatus.SERVICE_UNAVAILABLE, _AWAY_HEADERS
        finally:
            link.close()
        start_response(f"{status.value} {status.phrase}", headers)
        return [content]

    return answer


_AWAY = problems.plain_body(Unavailable)
_AWAY_HEADERS = [
    ("Content-Type", problems.CONTENT_TYPE),
    ("Content-Length", str(len(_AWAY))),
    ("Retry-After", "1"),
]


def _asked(link: http.client.HTTPConnection, environ: dict[str, Any]) -> http.client.HTTPResponse:
    """Send the request on, its body as it comes in; return the answer."""
    path = quote(environ["PATH_INFO"].encode("latin-1"))
    query = environ.get("QUERY_STRING")
    link.putrequest(
        environ["REQUEST_METHOD"],
        f"{path}?{query}" if query else path,
        skip_host=True,
        skip_accept_encoding=True,
    )
    for name, value in _headers(environ):
        link.putheader(name, value)
    link.endheaders()
    left = int(environ.get("CONTENT_LENGTH") or 0)
    while left and (part := environ["wsgi.input"].read(min(left, 65_536))):
        link.send(part)
        left -= len(part)
    return link.getresponse()


def _headers(environ: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in environ.items():
        name = key.removeprefix("HTTP_").replace("_", "-").lower()
        if key.startswith("HTTP_") and name not in _OWN:
            yield name, value
    for key in ("CONTENT_TYPE", "CONTENT_LENGTH"):
        if environ.get(key):
            yield key.replace("_", "-").lower(), environ[key]
    yield "x-forwarded-for", address_of(environ)
