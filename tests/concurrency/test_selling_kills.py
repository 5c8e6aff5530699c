"""Processes, sessions and the server killed in mid-sale: no sale is lost and none invented."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from django.db import InterfaceError, OperationalError, connection

from core.tools.embedded.server import ROOT
from lototrot.services.tickets.selling import Sold
from tests.concurrency.harness import eventually, sell, selling_point, together
from tests.support.databases import Database

SELLERS = 4


class Seller:
    """A selling process and what it has written."""

    def __init__(self, environment: dict[str, str], plan: dict[str, Any], output: Path) -> None:
        self._output = output
        with output.open("wb") as file:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.concurrency.seller", "sell", json.dumps(plan)],
                cwd=ROOT,
                env=os.environ | environment,
                stdout=file,
                stderr=subprocess.PIPE,
            )

    def said(self, word: str) -> list[uuid.UUID]:
        lines = self._output.read_text().split("\n")[:-1]
        return [uuid.UUID(line.split()[1]) for line in lines if line.startswith(word)]

    def kill(self) -> None:
        """Kill it, if that is not done yet; it must not have ended by itself."""
        if self._process.returncode is not None:
            return
        assert self._process.poll() is None, self._process.communicate()[1].decode()
        self._process.send_signal(signal.SIGKILL)
        self._process.communicate()

    @property
    def in_doubt(self) -> set[uuid.UUID]:
        return set(self.said("asked")) - set(self.said("sold"))


@contextmanager
def sellers(
    environment: dict[str, str], plan: dict[str, Any], folder: Path, *, sales: int
) -> Iterator[list[Seller]]:
    """Selling processes, each of which has sold some; killed at the end."""
    running = [Seller(environment, plan, folder / f"{n}.txt") for n in range(SELLERS)]
    try:
        eventually(lambda: all(len(each.said("sold")) >= sales for each in running))
        yield running
    finally:
        for each in running:
            each.kill()


def audit(
    session: psycopg.Connection, answered: set[uuid.UUID], asked: set[uuid.UUID]
) -> set[uuid.UUID]:
    """Hold the tables against what terminals were told; the UUIDs that have a ticket.

    Read by SQL alone: each ticket has its one transfer and each transfer its ticket.
    """
    halves = session.execute(
        "SELECT count(*) FROM lototrot_ticket t FULL JOIN (SELECT * FROM ledger_transfer"
        " WHERE kind = 'lototrot.sale') x"
        " ON x.reference = t.uuid AND x.line = 0 AND x.amount_cents = t.amount_cents"
        " AND x.at = t.sold_at WHERE t.id IS NULL OR x.id IS NULL"
    ).fetchone()
    rows = [row[0] for row in session.execute("SELECT uuid FROM lototrot_ticket")]
    assert halves == (0,)
    assert len(rows) == len(set(rows))
    assert answered <= set(rows)
    assert set(rows) <= asked
    return set(rows)


def audited(database: Database, answered: set[uuid.UUID], asked: set[uuid.UUID]) -> set[uuid.UUID]:
    with psycopg.connect(database.owner_url) as session:
        return audit(session, answered, asked)


def test_a_killed_seller_loses_nothing_and_invents_nothing(
    own_database: Database, tmp_path: Path
) -> None:
    contest, place = selling_point()
    plan = {
        "contest": contest.pk,
        "price_cents": contest.price_cents,
        "token": place.token,
        "session": place.session_token,
    }
    with sellers(own_database.environment, plan, tmp_path, sales=5) as running:
        for each in running:
            time.sleep(random.random() * 0.2)
            each.kill()
    answered = {ident for each in running for ident in each.said("sold")}
    in_doubt = {ident for each in running for ident in each.in_doubt}
    audited(own_database, answered, answered | in_doubt)
    for ident in in_doubt:
        assert isinstance(sell(place, contest, ident), Sold)
        assert sell(place, contest, ident).replayed
    assert audited(own_database, answered, answered | in_doubt) == answered | in_doubt


def test_sessions_ended_by_the_server_in_mid_sale(own_database: Database) -> None:
    contest, place = selling_point()
    stop = threading.Event()
    answered: list[uuid.UUID] = []
    lost: list[uuid.UUID] = []

    def seller() -> None:
        while not stop.is_set():
            ident = uuid.uuid4()
            while True:
                try:
                    sell(place, contest, ident)
                except (OperationalError, InterfaceError):
                    lost.append(ident)
                    connection.close()
                    continue
                break
            answered.append(ident)

    def killer() -> None:
        try:
            with psycopg.connect(own_database.owner_url, autocommit=True) as owner:
                while len(lost) < 40:
                    owner.execute(
                        "SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity"
                        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                        " AND query LIKE '%lototrot_sell%' ORDER BY random() LIMIT 1) victim"
                    )
                    time.sleep(0.01)
        finally:
            stop.set()

    together(killer, *[seller] * SELLERS)
    assert len(lost) >= 40
    assert audited(own_database, set(answered), set(answered)) == set(answered)
