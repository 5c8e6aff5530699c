"""Divide the processor time of what a terminal does in several requests, in microseconds for all.

`X.client`, `X.web` and `X.postgres` are what the kernel counted for the processes while 32
connections did it. `X.web.*` divides the second: the requests through the application in this
process take what one thread takes, and the rest is the HTTP server and threads that wait for each
other. `X.statement.*` are the statements on one connection, in Python and in the server's process;
`X.function.*` the functions and triggers inside them, as the server's own clocks tell.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from django.db import connection, connections

from core.config.hot_paths import Handler
from core.config.one_write import in_one_write
from core.database import statements
from tests.bench.parts import cost
from tests.bench.processor import process_s, taken_s
from tests.bench.store import Figures, Skipped, Store

IN_PROCESS = 400
"""For each division the requests are made so many times, by the application in this process."""


@dataclass(frozen=True, slots=True)
class Divided:
    """A thing that is divided: its requests one after another, and the places that are timed.

    `statuses` are those of its answers in their order, `places` the functions of a stage by its
    name, `statements` names by a word that only this statement has, `function` an SQL function that
    is called once.
    """

    name: str
    process: str
    request: Callable[[int], bytes]
    afresh: Callable[[], None]
    statuses: tuple[int, ...]
    places: tuple[tuple[str, Any, str], ...]
    statements: Mapping[str, str]
    function: str

    def once(self, number: int, serve: Callable[..., Any]) -> None:
        """Send all its requests to the application in this process."""
        for status in self.statuses:
            environ = cost._environ(self.request(number % 32))
            answered: list[str] = []
            serve(environ, lambda status, *_, to=answered: to.append(status))
            if not answered[0].startswith(str(status)):
                raise RuntimeError(f"an act was refused: {answered[0]}")

    def often(self) -> None:
        """Do it in this process as often as a division counts."""
        serve = in_one_write(Handler())
        for number in range(IN_PROCESS):
            self.once(number, serve)


def need_accounts() -> None:
    """Raise Skipped where the kernel keeps no accounts of processes."""
    if not Path("/proc/self/schedstat").exists():
        raise Skipped("there is no /proc with the processor time of each process")


def divided(store: Store, what: Divided, *, url: str = "") -> Figures:
    """Return the figures, by process, stage, statement and function."""
    with store.superuser() as server:
        figures = _over_http(store, what, server, url)
        what.afresh()
        with cost._unheard():
            figures |= _by_stage(what) | _by_statement(what) | _by_function(what, server)
    return {f"{what.name}.{name}": figure for name, figure in figures.items()}


def _over_http(store: Store, what: Divided, server: psycopg.Connection, url: str) -> Figures:
    """Return what each of the processes took, after a run that is not counted."""
    statuses = frozenset(what.statuses)
    store.load(what.request, seconds=1, statuses=statuses, url=url)
    what.afresh()
    row = server.execute("SHOW data_directory").fetchone()
    if row is None:
        raise RuntimeError("the server does not say where its data are")
    postmaster = int(Path(row[0], "postmaster.pid").read_text().split()[0])
    roots = {"web": store.stack.pid(what.process), "postgres": postmaster}
    before, wal = {name: taken_s(pid) for name, pid in roots.items()}, cost._wal_bytes(server)
    load = store.load(what.request, statuses=statuses, url=url)
    done = load.statuses[what.statuses[-1]] / what.statuses.count(what.statuses[-1])
    figures = {
        f"{name}_us": (taken_s(pid) - before[name]) * 1e6 / done for name, pid in roots.items()
    }
    figures["client_us"] = load.client_cpu_s * 1e6 / done
    figures["all_us"] = sum(figures.values())
    return figures | {"wal_bytes": (cost._wal_bytes(server) - wal) / done}


def _by_stage(what: Divided) -> Figures:
    """Return what one thread takes, by stage."""
    meter, serve = cost._Meter(), in_one_write(Handler())
    for number in range(IN_PROCESS // 4):
        what.once(number, serve)
    with meter.points(*what.places):
        for number in range(IN_PROCESS):
            meter.timed("application", what.once)(number, serve)
    taken = {name: seconds * 1e6 / IN_PROCESS for name, seconds in meter.taken_s.items()}
    taken["middleware"] = taken["application"] - taken.pop("view") - taken["log"]
    return {f"web.{stage}_us": figure for stage, figure in taken.items()}


def _by_statement(what: Divided) -> Figures:
    """Return the time of each statement, here and in the server's process."""
    taken: dict[str, float] = {}
    once, pid = statements._run, connection.connection.info.backend_pid

    def timed(statement: str, parameters: Sequence[Any]) -> tuple[Any, ...] | None:
        name = next((name for key, name in what.statements.items() if key in statement), "other")
        server_s, began = process_s(pid), time.thread_time()
        row = once(statement, parameters)
        python_s = time.thread_time() - began
        server_s = process_s(pid) - server_s
        for where, seconds in (("python", python_s), ("server", server_s)):
            key = f"statement.{name}.{where}_us"
            taken[key] = taken.get(key, 0.0) + seconds * 1e6 / IN_PROCESS
        return row

    statements._run = timed
    try:
        what.often()
    finally:
        statements._run = once
    return taken


def _by_function(what: Divided, server: psycopg.Connection) -> Figures:
    """Return the time of each function and trigger itself, on a connection of its own."""
    server.execute("ALTER ROLE lototrot_app SET track_functions = 'all'")
    connections.close_all()
    try:
        server.execute("SELECT pg_stat_reset()")
        what.often()
        connections.close_all()  # a session that ends reports
    finally:
        server.execute("ALTER ROLE lototrot_app RESET track_functions")
    time.sleep(1)
    rows = server.execute(
        "SELECT funcname, self_time * 1000 / (SELECT calls FROM pg_stat_user_functions"
        " WHERE funcname = %s) FROM pg_stat_user_functions"
        " WHERE self_time > 0 ORDER BY self_time DESC",
        [what.function],
    ).fetchall()
    return {f"function.{name}_us": float(taken) for name, taken in rows}
