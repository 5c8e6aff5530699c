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
from typing import Any
from uuid import UUID

import psycopg
from django.db import DatabaseError, connection, connections

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
_GATE = (99, 0)
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
        line = rf"^ *PERFORM pg_advisory_xact_lock(_shared)?\({int(lock)}, .*\);$"
        text, removed = re.subn(line, "", text, flags=re.MULTILINE)
        assert removed == 1, f"the sale takes {lock.name} once"
    assert text.count(_INSERT) == 1
    if before_writing:
        text = text.replace(_INSERT, f"    PERFORM {before_writing};\n{_INSERT}")
    with psycopg.connect(database.owner_url) as owner:
        owner.execute(text)


def together(*acts: Callable[[], Any]) -> list[Any]:
    """Do the acts at the same moment, each on a connection of its own; what each gave or raised."""
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


def eventually(condition: Callable[[], bool]) -> None:
    """Wait until it holds."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it never came about"
        time.sleep(0.005)


def tickets(database: Database) -> int:
    """How many tickets are committed."""
    with psycopg.connect(database.owner_url) as owner:
        row = owner.execute("SELECT count(*) FROM lototrot_ticket").fetchone()
    assert row is not None
    return int(row[0])


@dataclass(frozen=True, slots=True)
class StoppedSale:
    """A sale that has made all its checks and has written nothing yet."""

    database: Database
    answer: Future[Any]
    session: psycopg.Connection

    def waiting(self, lock: tuple[int, int]) -> int:
        """How many sessions wait for an advisory lock."""
        row = self.session.execute(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
            " AND classid = %s AND objid = %s AND database ="
            " (SELECT oid FROM pg_database WHERE datname = current_database())",
            lock,
        ).fetchone()
        assert row is not None
        return int(row[0])

    def go_on(self) -> None:
        self.session.execute("SELECT pg_advisory_unlock(%s, %s)", _GATE)


@contextmanager
def stopped_sale(
    database: Database, sale: Callable[[], Any], *, without: Sequence[Lock] = ()
) -> Iterator[StoppedSale]:
    """`sale`, under way in a thread of its own, stopped just before it writes."""
    gate = f"pg_advisory_xact_lock_shared{_GATE}"
    install_sale(database, without=without, before_writing=gate)
    with (
        psycopg.connect(database.owner_url, autocommit=True) as session,
        ThreadPoolExecutor(1) as pool,
    ):
        session.execute("SELECT pg_advisory_lock(%s, %s)", _GATE)
        stopped = StoppedSale(database, pool.submit(lambda: together(sale)[0]), session)
        try:
            eventually(lambda: stopped.waiting(_GATE) == 1)
            yield stopped
        finally:
            stopped.go_on()


@dataclass(frozen=True, slots=True)
class Race:
    """An act against a sale in flight. `recorded_after`: tickets since the act was done."""

    sale: Any
    act: Any
    recorded_after: int


def against_a_sale_in_flight(
    database: Database,
    sale: Callable[[], Any],
    act: Callable[[], Any],
    lock: tuple[Lock, int],
    *,
    without: Sequence[Lock] = (),
) -> Race:
    """Act while a sale is in flight; it goes on once the act is done or waits for `lock`."""
    seen: list[int] = []

    def done() -> Any:
        try:
            return act()
        finally:
            seen.append(tickets(database))

    with (
        stopped_sale(database, sale, without=without) as stopped,
        ThreadPoolExecutor(1) as pool,
    ):
        other = pool.submit(lambda: together(done)[0])
        key = (int(lock[0]), lock[1] & 0xFFFFFFFF)
        eventually(lambda: other.done() or stopped.waiting(key) > 0)
        stopped.go_on()
        result = Race(stopped.answer.result(PATIENCE_S), other.result(PATIENCE_S), 0)
    return Race(result.sale, result.act, tickets(database) - seen[0])
