"""The system under measurement, and what every part needs from it.

A part takes contests on free days, premises and games of its own, so that parts run in any order
and repeatedly on one database.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import psycopg
from django.db import connections
from psycopg import sql

from core.database import clock
from core.kernel.days import natural_day
from core.tools.embedded.postgres import DATABASE, SUPERUSER
from core.tools.embedded.server import ROOT
from core.tools.embedded.stack import Stack
from lototrot.models.contest import Contest
from tests.bench import load
from tests.bench.load import Load, Request
from tests.bench.raw import CONNECTIONS
from tests.bench.size import Size
from tests.support import factories

Figures = dict[str, float]
CREATED = frozenset({201})


class Skipped(Exception):
    """A part cannot be measured on this machine; the message says why and what would help."""


@dataclass(slots=True)
class Store:
    """A running system, the size of the run, and filled contests that parts hand on by kind."""

    stack: Stack
    size: Size
    filled: dict[str, Any] = field(default_factory=dict)

    @contextmanager
    def contest_on_sale(self) -> Iterator[tuple[Contest, list[factories.Point]]]:
        """Put a contest on sale at 32 new terminals, and close it at the end.

        Its day is free and its races have the numbers 1 to 15.
        """
        day = free_day(natural_day(clock.now()), step_days=1)
        contest = factories.contest(factories.meeting(numbers=range(1, 16), day=day))
        points = terminals()
        for point in points:
            factories.acknowledge(contest, point)
        try:
            yield contest, points
        finally:
            factories.contest_closed(contest, sealed=False)

    def load(
        self,
        request: Request,
        *,
        seconds: float = 0,
        statuses: Set[int] = CREATED,
        url: str = "",
        own_addresses: bool = False,
    ) -> Load:
        """Send requests on 32 connections, by default where terminals ask.

        With `own_addresses` each connection has an address of its own. Raise RuntimeError for an
        answer of another status.
        """
        done = load.run(
            url or self.stack.sales_url,
            connections=CONNECTIONS,
            seconds=seconds or self.size.load_s,
            request=request,
            own_addresses=own_addresses,
        )
        if set(done.statuses) - statuses:
            raise RuntimeError(f"requests were refused, by HTTP status: {dict(done.statuses)}")
        return done

    def process(
        self, module: str, *words: str | int, environment: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """Run a program of `tests.bench.processes` to its end; return the JSON that it prints."""
        done = subprocess.run(
            [sys.executable, "-m", f"tests.bench.processes.{module}", *map(str, words)],
            cwd=ROOT,
            env={**(environment or self.stack.environment), "LOG_LEVEL": "WARNING"},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    @contextmanager
    def superuser(self, database: str = DATABASE) -> Iterator[psycopg.Connection]:
        """Connect as the server's superuser, in autocommit."""
        if self.stack.postgres is None:
            raise RuntimeError("this part needs the embedded PostgreSQL: unset DATABASE_URL")
        url = self.stack.postgres.url(SUPERUSER, database)
        with psycopg.connect(url, autocommit=True) as session:
            yield session

    @contextmanager
    def commits_wait_for_no_disk(self) -> Iterator[None]:
        """Let commits on the database not wait for the disk: the rows are the same."""
        name = sql.Identifier(DATABASE)
        with self.superuser() as server:
            server.execute(sql.SQL("ALTER DATABASE {} SET synchronous_commit = off").format(name))
            connections.close_all()
            try:
                yield
            finally:
                server.execute(sql.SQL("ALTER DATABASE {} RESET synchronous_commit").format(name))
                connections.close_all()

    def rest(self, *tables: str) -> None:
        """Vacuum the tables and write a checkpoint, so that no round pays for an earlier one."""
        with self.superuser() as session:
            for table in tables:
                session.execute(f"VACUUM (ANALYZE) {table}")
            session.execute("CHECKPOINT")


def terminals() -> list[factories.Point]:
    """Enrol a terminal for each connection, each at premises of its own."""
    return [factories.point() for _ in range(CONNECTIONS)]


def credentials(points: list[factories.Point]) -> list[dict[str, str]]:
    """Return the HTTP headers of each terminal with its operator."""
    return [
        {"Authorization": f"Terminal {p.token}", "X-Operator-Session": p.session_token}
        for p in points
    ]


def free_day(first: date, *, step_days: int, bet_type: str = "lototrot") -> date:
    """Return the first day from `first` on, in steps, without a contest of the bet type."""
    taken = set(Contest.objects.filter(bet_type_code=bet_type).values_list("day", flat=True))
    day = first
    while day in taken:
        day += timedelta(days=step_days)
    return day


def owner_execute(*statements: str) -> None:
    """Execute statements as the owner of the tables, each in its own transaction."""
    with connections["owner"].cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
