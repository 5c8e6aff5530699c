"""Compare the speed of acts on copies of a history from when it was shorter and longer.

Processes do the same acts in turn, each on its own database of one server, in rounds of a second
and less: what else the machine does is then the same for all. All are copies, because nobody else
works on a copy: on the history itself the boards are published every second. What counts is the
processor time of the server's process that does an act, and not the clock.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from django.db import connections
from psycopg import sql

from core.config import database_urls
from core.tools.embedded.postgres import DATABASE, OWNER, restrict
from core.tools.embedded.server import ROOT
from tests.bench.pairs import in_turn
from tests.bench.store import Store
from tests.support.history.weeks import History

ROUNDS = 11
_SALES, _PAYMENTS = 200, 40
"""Acts of one round: a third of the tickets wins something, and most of these can be paid."""
Rounds = Mapping[str, list[list[float]]]
"""By kind of act: for each length of the history, the seconds of an act in each round."""


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
        """Do acts in the process; return the seconds of the server's processor for each."""
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


def database(times: int) -> str:
    """Return the name of the copy at so many times the shortest length."""
    return f"lototrot_{times}h"


def rounds(store: Store, histories: Mapping[int, dict[str, Any]]) -> Rounds:
    """Sell and pay on the copy of each length in turn; `histories` is what was told of each."""
    paces = [Pace(store, database(times), told) for times, told in histories.items()]
    try:
        seconds_by_act = {"sale": _in_turn(paces, f"sell {_SALES}")}
        for pace in paces:
            pace.each_s("settle")
        return seconds_by_act | {"pay": _in_turn(paces, f"pay {_PAYMENTS}")}
    finally:
        for pace in paces:
            pace.end()


def _in_turn(paces: list[Pace], command: str) -> list[list[float]]:
    return in_turn([partial(pace.each_s, command) for pace in paces], rounds=ROUNDS)


def speed_ratio(by_length: list[list[float]]) -> float:
    """Return the speed at the longest to that at the shortest history, the middle of the rounds."""
    return median(first / last for first, last in zip(by_length[0], by_length[-1], strict=True))


def _environment(store: Store, database: str) -> dict[str, str]:
    named = {
        name: urlsplit(store.stack.environment[name])._replace(path=f"/{database}").geturl()
        for name in ("DATABASE_URL", "DATABASE_OWNER_URL")
    }
    return {**store.stack.environment, **named, "LOG_LEVEL": "WARNING"}
