"""Return a finished response as one bytes object, so that the WSGI server sends it in one write."""

from collections.abc import Iterable
from typing import Any

from core.traffic.seats import Wsgi


def in_one_write(application: Wsgi) -> Wsgi:
    """Wrap a WSGI application for servers that send a list at once and stream anything else.

    A finished response is closed before it is sent; the server closes a streaming one.
    """

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        response: Any = application(environ, start_response)
        if getattr(response, "streaming", True):
            return response  # type: ignore[no-any-return]
        try:
            return [response.content]
        finally:
            response.close()

    return answer
