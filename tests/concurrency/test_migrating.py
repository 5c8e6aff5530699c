"""Migrate again and again, two at once, while terminals sell."""

import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import psycopg
from django.db import connection, connections

from core.database.guards import install_guards
from core.database.installing import alone
from core.journal.install import install
from lototrot.models.contest import Contest
from tests.support.concurrency.sales import sell, selling_point
from tests.support.databases import Database
from tests.support.factories import Point


def install_all(times: int) -> None:
    """Put everything in place as `migrate` does after its migrations."""
    try:
        for _ in range(times):
            with alone("owner"):
                install_guards()
                install()
    finally:
        connections.close_all()


def selling(place: Point, contest: Contest, ending: threading.Event) -> list[float]:
    """Sell until told to end; return how long each sale took, in seconds. A refusal raises."""
    took: list[float] = []
    try:
        while not ending.is_set():
            started = time.monotonic()
            assert not sell(place, contest, uuid.uuid4()).replayed
            took.append(time.monotonic() - started)
    finally:
        connection.close()
    return took


def test_no_sale_is_refused_while_two_install_at_once(own_database: Database) -> None:
    contest, place = selling_point()
    ending = threading.Event()
    with ThreadPoolExecutor(4) as pool:
        sales = [pool.submit(selling, place, contest, ending) for _ in range(2)]
        try:
            # A piece that somebody changed takes its locks while sales hold theirs.
            with psycopg.connect(own_database.owner_url, autocommit=True) as owner:
                owner.execute("SET lock_timeout = '5s'; DROP TRIGGER guard_rows ON lototrot_ticket")
            for migration in [pool.submit(install_all, 2) for _ in range(2)]:
                migration.result(60)
        finally:
            ending.set()
        assert sum(len(sale.result(60)) for sale in sales) > 10
    with psycopg.connect(own_database.owner_url) as owner:
        present = owner.execute(
            "SELECT count(*) FROM pg_trigger WHERE tgname = 'guard_rows'"
            " AND tgrelid = 'lototrot_ticket'::regclass"
        ).fetchone()
    assert present == (1,)
