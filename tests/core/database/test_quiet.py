"""Wait for transactions in progress, from within a transaction."""

import io
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction

from core.database import quiet
from core.database.reading.snapshot import READER, only_reading, snapshot
from core.journal.acting import acting
from core.journal.export import export
from core.journal.verifying import verify
from core.periods.services import PeriodUnfinished, period_propose
from core.reports import selectors
from core.staff.powers import Role
from tests.support import factories, rounds
from tests.support.databases import Database
from tests.support.journaling import seal_all


def test_who_ends_while_we_wait_is_seen_to_have_ended(
    own_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with psycopg.connect(own_database.app_url) as other:
        other.execute("SELECT 1")
        monkeypatch.setattr(quiet.time, "sleep", lambda seconds: other.commit())
        with transaction.atomic():
            quiet.wait_for_quiet(5)


def test_who_does_not_end_is_waited_for_no_longer_than_told(own_database: Database) -> None:
    with psycopg.connect(own_database.app_url) as other:
        other.execute("SELECT 1")
        with pytest.raises(quiet.NotQuiet), transaction.atomic():
            quiet.wait_for_quiet(0)


@pytest.mark.parametrize("apart", [snapshot, only_reading])
def test_who_only_reads_for_long_is_not_waited_for(
    own_database: Database, apart: Callable[[], AbstractContextManager[None]]
) -> None:
    """As a day file does. It can write nothing, and cannot be made to."""
    reader = ThreadPoolExecutor(1)
    reading, done = threading.Event(), threading.Event()

    def read() -> None:
        with apart(), connection.cursor() as cursor:
            cursor.execute("SELECT 1")
            reading.set()
            done.wait(60)
            with pytest.raises(DatabaseError, match="before any query"):
                cursor.execute("SET TRANSACTION READ WRITE")
        connection.close()

    with reader:
        ended = reader.submit(read)
        assert reading.wait(60)
        try:
            quiet.wait_for_quiet(0)
        finally:
            done.set()
        ended.result()


def test_within_a_transaction_that_may_write_reading_is_waited_for(own_database: Database) -> None:
    with transaction.atomic():
        with only_reading():
            pass
        assert session_name() != READER
        factories.premises()


def session_name() -> str:
    """Return the name of this thread's session as the server last said it."""
    link = connection.connection.pgconn
    return str(link.parameter_status(b"application_name").decode())


@contextmanager
def watched(text: str) -> Iterator[list[str]]:
    """Collect the names that the session has while it executes statements with some text."""
    names: list[str] = []

    def execute(run: Any, sql: str, *arguments: Any) -> Any:
        answer = run(sql, *arguments)
        if text in sql:
            names.append(session_name())
        return answer

    with connection.execute_wrapper(execute):
        yield names


def _propose() -> None:
    with suppress(PeriodUnfinished):
        period_propose(by=factories.staff(Role.ORGANISER))


LONG: dict[str, tuple[Callable[[], Any], str]] = {
    "journal_verify": (verify, 'FROM "journal_b'),
    "journal_export": (lambda: export(io.StringIO()), 'FROM "journal_b'),
    "a report": (
        lambda: selectors.report(by=factories.staff(Role.AUDITOR), name="sales-by-day"),
        "FROM lototrot_ticket t",
    ),
    "counting a month": (_propose, "lototrot_contest"),
}


@pytest.mark.parametrize("reader", LONG)
def test_each_long_reader_is_told_apart_from_those_who_write(
    own_database: Database, reader: str
) -> None:
    read, text = LONG[reader]
    with acting("tests"):
        rounds.sell(factories.contest(), factories.point(), [(1,) * 7])
        factories.time_pass(days=40)
    seal_all()
    with acting("tests"), watched(text) as names:
        read()
    assert names and set(names) == {READER}
    assert session_name() != READER
