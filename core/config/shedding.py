"""Refuse requests that have waited too long before a process took them: sales last.

More requests than a machine can answer wait in the proxy and the web server, until those who asked
have gone; answering them then takes the time of those who have not. The proxy says when a request
came (`X-Request-Start`). What is older than its limit is refused at once, with an answer after
which a terminal asks again. Acts of terminals are waited for longest. Without that header nothing
is refused, nor where it is older than the proxy waits: then the two clocks differ.
"""

import time
from collections.abc import Iterable
from typing import Any, Final

from core.api import metrics, problems
from core.api.errors import Busy
from core.traffic.seats import Wsgi

ACTS_S: Final = 10.0
"""Acts of terminals: sales, plays, payments."""
READINGS_S: Final = 5.0
"""Questions of terminals."""
OTHERS_S: Final = 3.0
"""Requests of staff and of the public."""
GIVEN_UP_S: Final = 60.0
"""The proxy has ended a request that is older (`proxy_read_timeout`)."""
_TERMINAL: Final = "terminal "
_ROUTE: Final = "shed"
_BODY: Final = problems.plain_body(Busy)


def shedding(application: Wsgi) -> Wsgi:
    """Wrap the application so that requests that waited too long are refused without it."""

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if not limit_s(environ) < _waited_s(environ) < GIVEN_UP_S:  # nor if it is no number
            return application(environ, start_response)
        metrics.observe(environ["REQUEST_METHOD"], _ROUTE, 503, 0.0)
        headers = [
            ("Content-Type", problems.CONTENT_TYPE),
            ("Content-Length", str(len(_BODY))),
            ("Retry-After", str(problems.RETRY_AFTER_S[Busy])),
        ]
        start_response("503 Service Unavailable", headers)
        return [_BODY]

    return answer


def limit_s(environ: dict[str, Any]) -> float:
    """Return how long a request may have waited, in seconds."""
    if not environ.get("HTTP_AUTHORIZATION", "").lower().startswith(_TERMINAL):
        return OTHERS_S
    return READINGS_S if environ["REQUEST_METHOD"] in ("GET", "HEAD") else ACTS_S


def _waited_s(environ: dict[str, Any]) -> float:
    """Return how long ago the proxy took the request; 0 where it does not say."""
    header = environ.get("HTTP_X_REQUEST_START", "")
    try:
        return time.time() - float(header.removeprefix("t="))
    except ValueError:
        return 0.0
