"""Limit the requests that a process works on at once, while more wait for a common statement.

Threads of one process share the interpreter: with many at work each waits for the others in no
order, and the database has as many statements at once. But a call that waits for the statement of
another (`core.database.together`) works at nothing, and the more of them wait, the more share the
next statement. So a process has more threads than seats. A request is worked on in a seat, and
those that find none wait in their order. A call that waits for a statement leaves its seat to the
next.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, Final

Wsgi = Callable[[dict[str, Any], Any], Iterable[bytes]]
AT_WORK: Final = 6
"""Requests that one process works on at once (docs/adr/0021)."""


class Seats:
    """The seats of a process."""

    def __init__(self, number: int) -> None:
        self._free = number
        self._mutex = threading.Lock()
        self._queue: deque[threading.Lock] = deque()
        self._held = threading.local()

    def take(self) -> None:
        """Take a seat for this thread, which has none; wait for those who came before."""
        turn = None
        with self._mutex:
            if self._free:
                self._free -= 1
            else:
                turn = threading.Lock()
                turn.acquire()
                self._queue.append(turn)
        if turn is not None:
            turn.acquire()  # the one who leaves a seat hands it over
        self._held.seat = True

    def leave(self) -> None:
        """Leave this thread's seat, if it has one, to the first who waits."""
        if not getattr(self._held, "seat", False):
            return
        self._held.seat = False
        with self._mutex:
            if self._queue:
                self._queue.popleft().release()
            else:
                self._free += 1


SEATS: Final = Seats(AT_WORK)


def seated(application: Wsgi, seats: Seats = SEATS) -> Wsgi:
    """Wrap a WSGI application so that each request is answered in a seat.

    An answer that is streamed is made without one.
    """

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        seats.take()
        try:
            return application(environ, start_response)
        finally:
            seats.leave()

    return answer
