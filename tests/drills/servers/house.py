"""The whole system on one machine, whose processes and servers are killed and started again.

Terminals sell with prints, play and pay through its web server; its worker closes, seals and
settles their contest and does the night. What they were answered is compared with its rows.
"""

import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Self
from uuid import UUID

import psycopg
from celery import Celery

from core.tools.embedded.postgres import Postgres
from core.tools.embedded.server import Server
from core.tools.embedded.stack import Stack
from core.tools.embedded.valkey import Valkey
from core.tools.embedded.web import free_port
from core.tools.raceday.api import SERVER_CLOCK
from tests.drills.crowd import PAYMENTS, SALES, Crowd, Goods, Step, Steps

if TYPE_CHECKING:
    from lototrot.models.contest import Contest

DATABASE, BROKER = "database", "broker"
WITHIN_S = 240.0
_LOOK_EVERY_S = 0.1
_TWICE = 0.3
"""The share of papers that a second terminal presents as well, while or after one pays."""
_ROWS = {
    "sale": "SELECT uuid FROM lototrot_ticket",
    "print": "SELECT t.uuid FROM lototrot_printconfirmation p"
    " JOIN lototrot_ticket t ON t.id = p.ticket_id",
    "play": "SELECT uuid FROM promotrot_playticket",
    "act": "SELECT t.uuid FROM promotrot_playend e JOIN promotrot_playticket t"
    " ON t.id = e.ticket_id",
    "payment": "SELECT uuid FROM payoffice_payment",
}
_HALVES = {
    "lototrot.sale": "SELECT uuid, amount_cents FROM lototrot_ticket",
    "promotrot.sale": "SELECT uuid, price_cents FROM promotrot_playticket",
    "promotrot.award": "SELECT uuid, amount_cents FROM promotrot_voucher",
    "payoffice.prize": "SELECT uuid, amount_cents FROM payoffice_payment",
}
"""The transfers of each kind, and the rows of which each has exactly one."""


class Terminals(Crowd):
    """Terminals that confirm each print. Some papers are presented at two of them."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.paid: Counter[str] = Counter()
        """The payments of each code, by different requests."""
        self.codes: dict[UUID, str] = {}
        """The code of each ticket sold."""

    def _sale(self, rng: Random) -> Steps:
        ident, body = SERVER_CLOCK.request_uuid(), rng.choice(self._goods.sales)
        sold = yield "sale", ident, SALES, {"uuid": str(ident), **body}
        if sold is not None:
            self.codes[ident] = sold["code"]
            yield "print", ident, f"{SALES}/{ident}/print-confirmation", {}

    def bring(self, codes: Iterable[tuple[str, int]]) -> None:
        """Let players bring papers to be paid, each with its cents."""
        self._vouchers.extend(codes)

    def _pay(self) -> Steps:
        try:
            code, cents = self._vouchers.popleft()
        except IndexError:
            return
        ident = SERVER_CLOCK.request_uuid()
        if ident.int % 10 < 10 * _TWICE:
            self._vouchers.append((code, cents))
        body = {"uuid": str(ident), "code": code, "amount_cents": cents, "intact": True}
        step: Step = ("payment", ident, PAYMENTS, body)
        if (yield step) is not None:
            self.paid[code] += 1


class House:
    """A web server, a worker, publisher and beat on a database and a broker of their own.

    `postgres` was not started yet, and has a migrated database. Django uses it.
    """

    def __init__(self, folder: Path, postgres: Postgres, environment: dict[str, str]) -> None:
        self.postgres, self.valkey = postgres, Valkey(folder / "valkey")
        self.died: Counter[str] = Counter()
        self._folder, self._environment = folder, environment
        self.stack: Stack

    @property
    def servers(self) -> dict[str, Server]:
        return {DATABASE: self.postgres, BROKER: self.valkey}

    @property
    def names(self) -> list[str]:
        """Return what can be killed: the processes and the servers."""
        return [*self.stack.names, *self.servers]

    def __enter__(self) -> Self:
        self._running = ExitStack()
        with ExitStack() as starting:
            for server in self.servers.values():
                starting.callback(server.destroy)
                server.start()
            self.stack = Stack(
                workers=1,
                migrate=False,
                port=free_port(),
                folder=self._folder,
                environment={
                    "DATABASE_URL": self.postgres.app_url,
                    "DATABASE_OWNER_URL": self.postgres.owner_url,
                    "BROKER_URL": self.valkey.url,
                    "LIMITS_URL": "memory://",
                    "LOG_LEVEL": "WARNING",
                    "SWEEP_EVERY_S": "1",
                    **self._environment,
                },
                report=lambda _: None,
            )
            starting.enter_context(self.stack)
            self._running = starting.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop everything, whatever of it lives."""
        self._running.close()

    def kill(self, name: str) -> None:
        """Kill a process or a server. What keeps it starts it again by itself."""
        self.died[name] += 1
        if name in self.servers:
            self.servers[name].crash()
        else:
            with suppress(ProcessLookupError):  # it may have ended with what was killed before
                os.killpg(self.stack.pid(name), signal.SIGKILL)

    def lose_power(self, rng: Random) -> None:
        """Kill everything in a random order, and all that would start it again."""
        names = self.names
        rng.shuffle(names)
        for name in names:
            if name in self.servers:
                self.servers[name].lose_power()
            else:
                self.stack.kill(name)
        self.died["everything"] += 1

    def return_power(self) -> None:
        """Start everything again, on what is on the disk."""
        from django.db import connections

        connections.close_all()  # they lead to the dead server
        for server in self.servers.values():
            server.start()
        self.stack.revive(*self.stack.names)

    def terminals(self, number: int, seed: int, goods: Goods, points: list[Any]) -> Terminals:
        """Return terminals that ask the web server, each with its credentials."""
        from tests.bench.store import credentials

        addresses = [f"127.0.0.{2 + n}" for n in range(number)]
        return Terminals(
            self.stack.base_url, credentials(points), goods, addresses, certificate="", seed=seed
        )

    def ask_for_night(self) -> None:
        """Send what the beat sends every hour."""
        celery = Celery(broker=self.valkey.url, set_as_current=False)
        with celery.connection_for_write() as connection:
            celery.send_task(
                "core.nights.tasks.night",
                connection=connection,
                ignore_result=True,
                queue="nights",
            )

    def faults(self, terminals: Terminals, before: dict[str, set[UUID]]) -> tuple[int, int, int]:
        """Return how many answered acts have no row, how many rows nobody asked for, and how often
        something was paid twice or has not its one transfer.
        """
        lost = invented = twice = 0
        answers = terminals.answers
        with psycopg.connect(self.postgres.owner_url) as session:
            for kind, idents in rows(session).items():
                lost += len(answers.answered[kind].keys() - idents)
                invented += len(idents - answers.asked[kind] - before[kind])
            for kind, query in _HALVES.items():
                asked: Any = session.execute(
                    f"SELECT count(*) FROM ({query}) r (uuid, cents) FULL JOIN"
                    " (SELECT * FROM ledger_transfer WHERE kind = %s) x"
                    " ON x.reference = r.uuid AND x.amount_cents = r.cents"
                    " WHERE r.uuid IS NULL OR x.id IS NULL".encode(),
                    [kind],
                ).fetchone()
                twice += asked[0]
        return lost, invented, twice + sum(times - 1 for times in terminals.paid.values())


def rows(session: psycopg.Connection) -> dict[str, set[UUID]]:
    """Return the UUIDs of what is on record, by kind of act."""
    return {
        kind: {UUID(str(ident)) for (ident,) in session.execute(query.encode()).fetchall()}
        for kind, query in _ROWS.items()
    }


def wait_for(what: str, look: Callable[[], object]) -> None:
    """Return when `look` is true. A lost connection is no answer. Raise TimeoutError at the end."""
    from django.db import Error, connections

    deadline = time.monotonic() + WITHIN_S
    while True:
        try:
            if look():
                return
        except Error:  # the server is away, or was
            connections.close_all()
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} did not happen within {WITHIN_S:.0f} s")
        time.sleep(_LOOK_EVERY_S)


def settled(contest: "Contest") -> bool:
    """Return whether a worker has settled the contest."""
    contest.refresh_from_db()
    return contest.state == type(contest).State.SETTLED
