"""Races on real connections: acts at once in threads, and a sale stopped in the middle of itself.

A twin is the same race with one lock taken out of `lototrot_sell` in that test's own database: it
shows that the harness would see the fault that the lock prevents.
"""

import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

import psycopg
from django.db import DatabaseError, connection, connections, transaction

from core.database.locks import Lock
from core.database.sql_files import read_sql
from core.kernel.errors import DomainError
from core.tools.embedded.server import ROOT
from lototrot.models.contest import Contest
from lototrot.services.tickets.selling import SaleRequest, Sold, ticket_sell
from tests.support import factories
from tests.support.databases import Database
from tests.support.factories import Point

PATIENCE_S = 120
_T = TypeVar("_T")
_GATE = (99, 0)
THROUGH_GATE = f"pg_advisory_xact_lock_shared{_GATE}"
"""The call, before an act writes, that lets it wait at a gate if that is shut."""
_WAITS = (
    "FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database ="
    " (SELECT oid FROM pg_database WHERE datname = current_database())"
)
_INSERT = "    INSERT INTO lototrot_ticket ("


def request_of(contest: Contest, ident: UUID) -> SaleRequest:
    """A single ticket, always the same for the same UUID."""
    races = ((1,),) * len(contest.offered_masks)
    return SaleRequest(ident, contest.pk, races, contest.price_cents, contest.price_cents)


def sell(place: Point, contest: Contest, ident: UUID) -> Sold:
    return ticket_sell(credentials=place.credentials, request=request_of(contest, ident))


def selling_point() -> tuple[Contest, Point]:
    """A contest on sale and a terminal that may sell it."""
    contest, place = factories.contest(correction_window_s=3600), factories.point()
    factories.acknowledge(contest, place)
    return contest, place


def install_sale(
    database: Database, *, without: Sequence[Lock] = (), before_writing: str = ""
) -> None:
    """Put a variant of the sale in place: without locks, with a statement before it writes."""
    text = read_sql(Path(ROOT, "lototrot", "sql", "sell.sql"))
    for lock in without:
        line = rf"^ *(?:PERFORM|v_done :=) pg_advisory_xact_lock(_shared)?\({int(lock)}, .*\);$"
        text, removed = re.subn(line, "", text, flags=re.MULTILINE)
        assert removed == 1, f"the sale takes {lock.name} once"
    assert text.count(_INSERT) == 1
    if before_writing:
        text = text.replace(_INSERT, f"    PERFORM {before_writing};\n{_INSERT}")
    with psycopg.connect(database.owner_url) as owner:
        owner.execute(text)


def together(*acts: Callable[[], Any]) -> list[Any]:
    """Do the acts at once, each on a connection of its own; return each result or exception."""
    start = threading.Barrier(len(acts))

    def run(act: Callable[[], Any]) -> Any:
        try:
            connection.ensure_connection()
            start.wait(PATIENCE_S)
            return act()
        except (DomainError, DatabaseError) as error:
            return error
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def apart(act: Callable[[], _T]) -> Future[_T]:
    """Begin the act in a thread, on a connection of its own."""

    def run() -> _T:
        try:
            return act()
        finally:
            connections.close_all()

    pool = ThreadPoolExecutor(1)
    future = pool.submit(run)
    pool.shutdown(wait=False)
    return future


def elsewhere(act: Callable[[], _T]) -> Future[_T]:
    """Begin the act apart; return when it has ended or an act waits for a lock of the system."""
    acting = apart(act)
    eventually(lambda: acting.done() or _some_act_waits())
    return acting


def eventually(condition: Callable[[], bool]) -> None:
    """Wait until the condition holds."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it never came about"
        time.sleep(0.005)


@contextmanager
def shut_gate() -> Iterator[None]:
    """Begin when a sale waits at the gate (`THROUGH_GATE`), and let it through at the end."""

    def somebody_waits() -> bool:
        cursor.execute(f"SELECT EXISTS (SELECT {_WAITS} AND classid = %s)", [_GATE[0]])
        return bool(cursor.fetchone()[0])

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s, %s)", _GATE)
        eventually(somebody_waits)
        yield
        cursor.execute("SELECT pg_advisory_unlock(%s, %s)", _GATE)


def together_at_the_gate(database: Database, *acts: Callable[[], Any]) -> list[Any]:
    """Do the acts as `together` does. None goes through the gate before all of them wait there."""
    with psycopg.connect(database.owner_url, autocommit=True) as session:
        session.execute("SELECT pg_advisory_lock(%s, %s)", _GATE)
        acting = apart(lambda: together(*acts))
        eventually(lambda: waiting_for(_GATE) == len(acts))
        session.execute("SELECT pg_advisory_unlock(%s, %s)", _GATE)
        return acting.result(PATIENCE_S)


def tickets(database: Database) -> int:
    """Return the number of committed tickets."""
    with psycopg.connect(database.owner_url) as owner:
        row = owner.execute("SELECT count(*) FROM lototrot_ticket").fetchone()
    assert row is not None
    return int(row[0])


def waiting_for(lock: tuple[int, int]) -> int:
    """Return how many sessions wait for an advisory lock."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT count(*) {_WAITS} AND classid = %s AND objid = %s",
            [lock[0], lock[1] & 0xFFFFFFFF],
        )
        return int(cursor.fetchone()[0])


def _some_act_waits() -> bool:
    """Return whether a session waits for a lock. A stopped sale does not count."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT EXISTS (SELECT {_WAITS} AND classid <> %s)", [_GATE[0]])
        return bool(cursor.fetchone()[0])


@dataclass(frozen=True, slots=True)
class StoppedSale:
    """A sale that has made all its checks and has written nothing yet."""

    answer: Future[Any]
    session: psycopg.Connection

    def waiting(self, lock: tuple[int, int]) -> int:
        """Return how many sessions wait for an advisory lock."""
        return waiting_for(lock)

    def stopped(self) -> int:
        """Return how many sales are stopped."""
        return waiting_for(_GATE)

    def go_on(self) -> None:
        self.session.execute("SELECT pg_advisory_unlock(%s, %s)", _GATE)

    def commit(self) -> Any:
        """Let the sale end; return what it returned or raised."""
        self.go_on()
        return self.answer.result(PATIENCE_S)


@contextmanager
def stopped_sale(
    database: Database, sale: Callable[[], Any], *, without: Sequence[Lock] = ()
) -> Iterator[StoppedSale]:
    """Begin `sale` apart and stop it just before it writes; at the end let it go on."""
    gate = THROUGH_GATE
    install_sale(database, without=without, before_writing=gate)
    with psycopg.connect(database.owner_url, autocommit=True) as session:
        session.execute("SELECT pg_advisory_lock(%s, %s)", _GATE)
        stopped = StoppedSale(apart(lambda: together(sale)[0]), session)
        try:
            eventually(lambda: stopped.stopped() == 1)
            yield stopped
        finally:
            session.execute("SELECT pg_advisory_unlock_all()")
            stopped.answer.exception(PATIENCE_S)


@dataclass(frozen=True, slots=True)
class Race:
    """An act against a sale in flight: both results, and the tickets on record then and later."""

    sale: Any
    act: Any
    recorded_at_return: int
    recorded_in_the_end: int

    @property
    def recorded_after(self) -> int:
        """Tickets recorded since the act was done."""
        return self.recorded_in_the_end - self.recorded_at_return


def against_a_sale_in_flight(
    database: Database,
    sale: Callable[[], Any],
    act: Callable[[], Any],
    lock: tuple[Lock, int],
    *,
    without: Sequence[Lock] = (),
) -> Race:
    """Act while a sale is in flight; it goes on once the act is done or waits for `lock`."""
    at_return: list[int] = []

    def counted() -> Any:
        try:
            return act()
        finally:
            at_return.append(tickets(database))

    with stopped_sale(database, sale, without=without) as stopped:
        acting = apart(lambda: together(counted)[0])
        eventually(lambda: acting.done() or stopped.waiting(lock) > 0)
        sold = stopped.commit()
        acted = acting.result(PATIENCE_S)
    return Race(sold, acted, at_return[0], tickets(database))


def recorded_at_return_and_in_the_end(
    database: Database, contest: Contest, place: Point, act: Callable[[], object]
) -> tuple[int, int]:
    """Return the tickets on record when `act`, which met a sale in flight, returned; and later.

    The two are equal if the act leaves nothing to be recorded after it.
    """
    race = against_a_sale_in_flight(
        database, lambda: factories.sell(contest, place), act, (Lock.CONTEST, contest.pk)
    )
    assert race.sale.outcome == "sold"
    assert not isinstance(race.act, Exception), race.act
    return race.recorded_at_return, race.recorded_in_the_end


def sold_before_commit(contest: Contest, place: Point, act: Callable[[], object]) -> str:
    """Return the outcome of a sale that comes when `act` is done and not yet committed."""
    with transaction.atomic():
        act()
        selling = elsewhere(lambda: factories.sell(contest, place))
    return selling.result(PATIENCE_S).outcome
