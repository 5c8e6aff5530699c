"""Compare the speed of acts on a copy of a history with that on one from when it was shorter.

Two processes do the same acts in turn, each on its own database of one server, in rounds of a
second and less: what else the machine does is then the same for both. Both are copies, because
nobody else works on a copy: on the history itself the boards are published every second. What
counts is the processor time of the server's process that does an act, and not the clock.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from django.db import connections
from psycopg import sql

from core.config import database_urls
from core.tools.embedded.postgres import DATABASE, OWNER, restrict
from core.tools.embedded.server import ROOT
from tests.bench.pairs import interleave
from tests.bench.store import Figures, Store
from tests.support.history.weeks import History

SHORTER, LONGER = "lototrot_shorter", "lototrot_longer"
ROUNDS = 11
_SALES, _PAYMENTS = 200, 40
"""Acts of one round: a third of the tickets wins something, and most of these can be paid."""


class Pace:
    """A process that does acts on one database (`tests.bench.processes.pace`)."""

    def __init__(self, store: Store, database: str, history: dict[str, Any]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.processes.pace"],
            cwd=ROOT,
            env=_environment(store, database),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._tell(json.dumps(history))

    def each_s(self, command: str) -> float:
        """Have acts done; return the seconds of the server's processor for each."""
        done = self._tell(command)
        return float(done["seconds"]) / max(1, int(done["count"]))

    def end(self) -> None:
        """Let the process end."""
        self._process.communicate()

    def _tell(self, line: str) -> dict[str, Any]:
        process = self._process
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the process has no pipes")
        process.stdin.write(f"{line}\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the process ended with {process.wait()} at {line[:40]!r}")
        told: dict[str, Any] = json.loads(answer)
        return told


def told(history: History) -> dict[str, Any]:
    """Return what the process needs to go on with a history, as it is now."""
    return {
        "weeks": history.weeks,
        "tickets": history.tickets,
        "points": [(point.token, point.session_token) for point in history.points],
    }


def copy(store: Store, to: str) -> None:
    """Copy the database file by file, as it is now; the sessions on it are ended."""
    name, copied = sql.Identifier(DATABASE), sql.Identifier(to)
    with _alone(store) as server:
        server.execute(
            sql.SQL("CREATE DATABASE {} OWNER {} TEMPLATE {} STRATEGY FILE_COPY").format(
                copied, sql.Identifier(OWNER), name
            )
        )
        role = database_urls.database_settings(store.stack.environment["DATABASE_URL"])["USER"]
        restrict(server, to, role)


@contextmanager
def _alone(store: Store) -> Iterator[Any]:
    """Keep everybody else out of the database."""
    allow = sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS {}")
    name = sql.Identifier(DATABASE)
    connections.close_all()
    with store.superuser("template1") as server:
        server.execute(allow.format(name, sql.SQL("false")))
        try:
            server.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s",
                [DATABASE],
            )
            yield server
        finally:
            server.execute(allow.format(name, sql.SQL("true")))


def speeds(store: Store, *, shorter: dict[str, Any], longer: dict[str, Any]) -> Figures:
    """Return the speed of a sale and of a payment at the longer copy to that at the shorter."""
    paces = [Pace(store, SHORTER, shorter), Pace(store, LONGER, longer)]
    try:
        figures: Figures = {}
        for kind, command in (("sale", f"sell {_SALES}"), ("pay", f"pay {_PAYMENTS}")):
            if kind == "pay":
                for pace in paces:
                    pace.each_s("settle")
            measured = interleave(
                lambda command=command: paces[0].each_s(command),  # type: ignore[misc]
                lambda command=command: paces[1].each_s(command),  # type: ignore[misc]
                pairs=ROUNDS,
            )
            figures[f"decade.{kind}_ratio"] = 1 / measured.ratio
            figures[f"decade.{kind}_us_1h"] = measured.baseline_median * 1e6
            figures[f"decade.{kind}_us_8h"] = measured.ours_median * 1e6
        return figures
    finally:
        for pace in paces:
            pace.end()


def _environment(store: Store, database: str) -> dict[str, str]:
    named = {
        name: urlsplit(store.stack.environment[name])._replace(path=f"/{database}").geturl()
        for name in ("DATABASE_URL", "DATABASE_OWNER_URL")
    }
    return {**store.stack.environment, **named, "LOG_LEVEL": "WARNING"}
