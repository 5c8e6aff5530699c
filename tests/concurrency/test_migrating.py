"""Migrate again and again, two at once, while terminals sell."""

import threading
from concurrent.futures import ThreadPoolExecutor

import psycopg
from django.db import connection, connections

from core.database.guards import install_guards
from core.database.installing import alone
from core.journal.install import install
from core.premises.requests import new_uuid
from lototrot.models.contest import Contest
from tests.support.concurrency.sales import eventually, sell, selling_point
from tests.support.databases import Database
from tests.support.factories import Point, clocks


def install_all(times: int) -> None:
    """Put everything in place as `migrate` does after its migrations."""
    try:
        for _ in range(times):
            with alone("owner"):
                install_guards()
                install()
    finally:
        connections.close_all()


class Seller:
    """A terminal that sells again and again; `sold` counts its sales. A refusal ends it."""

    def __init__(self, place: Point, contest: Contest) -> None:
        self._place, self._contest = place, contest
        self._ending = threading.Event()
        self.sold = 0

    def run(self) -> None:
        try:
            while not self._ending.is_set():
                assert not sell(self._place, self._contest, new_uuid()).replayed
                self.sold += 1
        finally:
            self._ending.set()
            connection.close()

    def sells_once_more(self) -> None:
        """Wait until it has sold again, or was refused: its result then says so."""
        before = self.sold
        eventually(lambda: self.sold > before or self._ending.is_set())

    def end(self) -> None:
        self._ending.set()


def test_no_sale_is_refused_while_two_install_at_once(own_database: Database) -> None:
    clocks.use_the_machines_clock()  # which installing puts in place of the tests' own
    contest, place = selling_point()
    sellers = [Seller(place, contest) for _ in range(2)]
    with ThreadPoolExecutor(4) as pool:
        sales = [pool.submit(seller.run) for seller in sellers]
        try:
            for seller in sellers:
                seller.sells_once_more()
            # A piece that somebody changed takes its locks while sales hold theirs.
            with psycopg.connect(own_database.owner_url, autocommit=True) as owner:
                owner.execute("SET lock_timeout = '5s'; DROP TRIGGER guard_rows ON lototrot_ticket")
            for migration in [pool.submit(install_all, 2) for _ in range(2)]:
                migration.result(60)
            for seller in sellers:
                seller.sells_once_more()
        finally:
            for seller in sellers:
                seller.end()
        for sale in sales:
            sale.result(60)
    with psycopg.connect(own_database.owner_url) as owner:
        present = owner.execute(
            "SELECT count(*) FROM pg_trigger WHERE tgname = 'guard_rows'"
            " AND tgrelid = 'lototrot_ticket'::regclass"
        ).fetchone()
    assert present == (1,)
