"""Wait for transactions in progress, from within a transaction."""

import threading
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from django.db import DatabaseError, connection, transaction

from core.database import quiet
from core.database.snapshot import snapshot
from tests.support.databases import Database


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


def test_who_reads_one_instant_for_long_is_not_waited_for(own_database: Database) -> None:
    """As a day file does. It can write nothing, and cannot be made to."""
    reader = ThreadPoolExecutor(1)
    reading, done = threading.Event(), threading.Event()

    def read() -> None:
        with snapshot(), connection.cursor() as cursor:
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
