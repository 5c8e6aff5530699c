"""Compare the speed of acts on copies of a history from when it was shorter and longer.

Processes do the same acts in turn, each on its own database of one server, in rounds of a second
and less (a night takes longer): what else the machine does is then the same for all. All are
copies, because nobody else works on a copy: on the history itself the boards are published every
second. What counts is the processor time of an act, and not the clock.
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

_LEAST = 1e-6  # a figure may be nothing
_MOST_NIGHTS = 2  # a night takes long, and the meeting of the week is sold after it
_SALES, _PAYMENTS = 200, 40
"""Acts of one round: a third of the tickets wins something, and most of these can be paid.

Each round sells at the same terminals: pages that are a terminal's own are written in the first.
"""
_REPEATED = ("sweep", "metrics", "live")
_STARTED = ("web", "live", "worker")
Figures = dict[str, float]
"""Figures of one act: `seconds`, and where they were counted `rows` and `statements`."""
Rounds = Mapping[str, list[list[float]]]
"""By name of a figure: for each length of the history, what was measured in each round."""


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

    def each(self, command: str) -> Figures:
        """Do acts in the process; return the figures of one of them."""
        return {name: float(value) for name, value in self._tell(command).items()}

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
        reply: dict[str, Any] = json.loads(answer)
        return reply


def state_of(history: History) -> dict[str, Any]:
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
    """Do everything on the copy of each length in turn; `histories` is what was told of each."""
    few, many = store.size.pairs, 2 * store.size.pairs + 1
    figures: dict[str, list[list[float]]] = {}
    for what in _STARTED:
        starts = [partial(_start, store, database(times), what) for times in histories]
        figures |= _by_figure(f"restart_{what}", in_turn(starts, rounds=few, warm=False))
    paces = [Pace(store, database(times), state) for times, state in histories.items()]
    try:
        figures |= _by_figure("night", _in_turn(paces, "night", min(few, _MOST_NIGHTS)))
        for act in _REPEATED:
            figures |= _by_figure(act, _in_turn(paces, act, many))
        figures |= _by_figure("sale", _in_turn(paces, f"sell {_SALES}", many))
        figures |= _by_figure("settle", _in_turn(paces, "settle", few))
        return figures | _by_figure("pay", _in_turn(paces, f"pay {_PAYMENTS}", many))
    finally:
        for pace in paces:
            pace.end()


def _start(store: Store, database: str, what: str) -> Figures:
    return store.process("restarter", what, environment=_environment(store, database))


def _in_turn(paces: list[Pace], command: str, rounds: int) -> list[list[Figures]]:
    return in_turn([partial(pace.each, command) for pace in paces], rounds=rounds)


def _by_figure(name: str, measured: list[list[Figures]]) -> dict[str, list[list[float]]]:
    """Return the figures of an act by their names: its own name is that of its seconds."""
    return {
        name if figure == "seconds" else f"{name}_{figure}": [
            [each[figure] for each in of_length] for of_length in measured
        ]
        for figure in measured[0][0]
    }


def ratio(by_length: list[list[float]]) -> float:
    """Return the longest to the shortest history, the middle of the rounds."""
    return median(
        max(last, _LEAST) / max(first, _LEAST)
        for first, last in zip(by_length[0], by_length[-1], strict=True)
    )


def _environment(store: Store, database: str) -> dict[str, str]:
    named = {
        name: urlsplit(store.stack.environment[name])._replace(path=f"/{database}").geturl()
        for name in ("DATABASE_URL", "DATABASE_OWNER_URL")
    }
    return {**store.stack.environment, **named, "LOG_LEVEL": "WARNING"}
