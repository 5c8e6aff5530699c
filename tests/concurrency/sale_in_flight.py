"""A sale caught between writing its ticket and committing it, and acts that meet it there."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from django.db import connection, transaction

from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket
from tests.support import factories as f

LIMIT_S = 20
_T = TypeVar("_T")


def _start(act: Callable[[], _T]) -> Future[_T]:
    """The act under way in a thread, on a connection of its own."""

    def run() -> _T:
        try:
            return act()
        finally:
            connection.close()

    pool = ThreadPoolExecutor(1)
    future = pool.submit(run)
    pool.shutdown(wait=False)
    return future


@contextmanager
def sale_in_flight(
    contest: Contest, point: f.Point, numbers: Sequence[Iterable[int]] | None = None
) -> Iterator[Callable[[], f.Sale]]:
    """A sale made on another connection, not committed until the function given is called."""
    written, go = threading.Event(), threading.Event()

    def sell() -> f.Sale:
        with transaction.atomic():
            sale = f.sell(contest, point, numbers)
            written.set()
            if not go.wait(LIMIT_S):
                raise TimeoutError
        return sale

    selling = _start(sell)

    def commit() -> f.Sale:
        go.set()
        return selling.result(LIMIT_S)

    try:
        assert written.wait(LIMIT_S), selling.exception(0)
        yield commit
    finally:
        go.set()
        selling.exception(LIMIT_S)


def elsewhere(act: Callable[[], _T]) -> Future[_T]:
    """The act on another connection, when it has finished or waits for a lock."""
    acting = _start(act)
    until = time.monotonic() + LIMIT_S
    while not acting.done() and not _somebody_waits():
        assert time.monotonic() < until
        time.sleep(0.005)
    return acting


def _somebody_waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))"
        )
        return bool(cursor.fetchone()[0])


def recorded_at_return_and_in_the_end(
    contest: Contest, point: f.Point, act: Callable[[], object]
) -> tuple[int, int]:
    """Tickets on record when `act`, which met a sale in flight, returned; and in the end.

    The two are equal if the act leaves nothing to be recorded after it.
    """
    tickets = Ticket.objects.filter(contest=contest)
    with sale_in_flight(contest, point) as commit:
        acting = elsewhere(act)
        if not acting.done():
            commit()
        acting.result(LIMIT_S)
        at_return = tickets.count()
        assert commit().outcome == "sold"
    return at_return, tickets.count()


def sold_before_commit(contest: Contest, point: f.Point, act: Callable[[], object]) -> str:
    """What becomes of a sale that comes when `act` is done and not yet committed."""
    with transaction.atomic():
        act()
        selling = elsewhere(lambda: f.sell(contest, point))
    return selling.result(LIMIT_S).outcome
