"""Between Django and a WSGI server: answers that are whole are handed over in one piece."""

from collections.abc import Callable, Iterable
from typing import Any

Wsgi = Callable[[dict[str, Any], Any], Iterable[bytes]]


def whole(application: Wsgi) -> Wsgi:
    """The application, for servers that send a list at once and stream anything else.

    A whole answer is closed before it is sent; streams are left to the server, as ever.
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
