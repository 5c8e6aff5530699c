"""Divide the processor time of a check with its payment, in microseconds for both.

`pay_cost.client`, `.web` and `.postgres` are what the kernel counted for the processes while 32
connections checked and paid. `pay_cost.web.*` divides the second: both requests through the
application in this process take what one thread takes, and the rest is the HTTP server and threads
that wait for each other. `pay_cost.statement.*` are the statements on one connection, in Python and
in the server's process; `pay_cost.function.*` the functions and triggers inside them, as the
server's own clocks tell.
"""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import psycopg
from django.db import connection, connections

from core.api.middleware import RequestLog
from core.api.views import LeanView
from core.config.hot_paths import Handler
from core.config.one_write import in_one_write
from core.database import statements
from core.payoffice.api import claims as claims_api
from core.payoffice.services import checking, finding, paying
from tests.bench.parts import cost, pay
from tests.bench.processor import process_s, taken_s
from tests.bench.store import Figures, Skipped, Store, terminals

IN_PROCESS = 400
"""Acts through the application in this process, for each of the two divisions."""
_STATEMENTS = {"payoffice_pay": "pay", "looks_by_operator": "look", "premises_who": "find"}


def measure(store: Store) -> Figures:
    """Return the figures `pay_cost.*`. Skipped without /proc or with a server that is not ours."""
    if not Path("/proc/self/schedstat").exists():
        raise Skipped("there is no /proc with the processor time of each process")
    acts_in_all = round((1 + store.size.load_s) * pay.MOST_PER_S) + 3 * IN_PROCESS
    acts = pay.Acts(iter(pay._winning_tickets(acts_in_all)), terminals())
    with store.superuser() as server:
        figures = _over_http(store, acts, server)
        acts.checked.clear()
        return figures | _in_process(acts, server)


def _over_http(store: Store, acts: pay.Acts, server: psycopg.Connection) -> Figures:
    """Return what each of the processes took for an act, after a run that is not counted."""
    store.load(acts.request, seconds=1, statuses={200, 201})
    acts.checked.clear()
    row = server.execute("SHOW data_directory").fetchone()
    if row is None:
        raise RuntimeError("the server does not say where its data are")
    postmaster = int(Path(row[0], "postmaster.pid").read_text().split()[0])
    roots = {"web": store.stack.pid("sales"), "postgres": postmaster}
    before, wal = {name: taken_s(pid) for name, pid in roots.items()}, cost._wal_bytes(server)
    load = store.load(acts.request, statuses={200, 201})
    paid = load.statuses[201]
    figures = {
        f"pay_cost.{name}_us": (taken_s(pid) - before[name]) * 1e6 / paid
        for name, pid in roots.items()
    }
    figures["pay_cost.client_us"] = load.client_cpu_s * 1e6 / paid
    figures["pay_cost.all_us"] = sum(figures.values())
    return figures | {"pay_cost.wal_bytes": (cost._wal_bytes(server) - wal) / paid}


class _Application:
    """The application in this process, to which a check and its payment are sent."""

    def __init__(self, acts: pay.Acts) -> None:
        self._acts = acts
        self._serve = in_one_write(Handler())

    def act(self, number: int) -> None:
        """Check a ticket at a terminal, and pay it."""
        for status in ("200", "201"):
            environ = cost._environ(self._acts.request(number % 32))
            answered: list[str] = []
            self._serve(environ, lambda status, *_, to=answered: to.append(status))  # type: ignore[misc]
            if not answered[0].startswith(status):
                raise RuntimeError(f"an act was refused: {answered[0]}")


def _in_process(acts: pay.Acts, server: psycopg.Connection) -> Figures:
    """Return what one thread takes for an act, by stage, by statement and by function."""
    application = _Application(acts)
    meter = cost._Meter()
    places = (
        ("view", LeanView, "dispatch"),
        ("parsing", LeanView, "body"),
        ("codes", finding, "_read"),
        ("rules", paying, "judge"),
        ("rules", checking, "_checked"),
        ("driver", statements, "_run"),
        ("answer", claims_api, "json_response"),
        ("log", RequestLog, "_write"),
    )
    with cost._unheard():
        for number in range(IN_PROCESS // 4):
            application.act(number)
        with meter.points(*places):
            for number in range(IN_PROCESS):
                meter.timed("all", application.act)(number)
        by_statement = _by_statement(application)
        by_function = _by_function(application, server)
    taken = {name: seconds * 1e6 / IN_PROCESS for name, seconds in meter.taken_s.items()}
    stages = ("parsing", "codes", "rules", "driver", "answer", "log")
    return {
        "pay_cost.web.application_us": taken["all"],
        "pay_cost.web.middleware_us": taken["all"] - taken["view"] - taken["log"],
        **{f"pay_cost.web.{stage}_us": taken[stage] for stage in stages},
        **by_statement,
        **by_function,
    }


def _by_statement(application: _Application) -> Figures:
    """Return the time of each statement, here and in the server's process."""
    taken: dict[str, float] = {}
    once, pid = statements._run, connection.connection.info.backend_pid

    def timed(statement: str, parameters: Sequence[Any]) -> tuple[Any, ...] | None:
        name = next((name for key, name in _STATEMENTS.items() if key in statement), "other")
        server_s, began = process_s(pid), time.thread_time()
        row = once(statement, parameters)
        python_s = time.thread_time() - began
        server_s = process_s(pid) - server_s
        for where, seconds in (("python", python_s), ("server", server_s)):
            key = f"pay_cost.statement.{name}.{where}_us"
            taken[key] = taken.get(key, 0.0) + seconds * 1e6 / IN_PROCESS
        return row

    _with_run(timed, application)
    return taken


def _with_run(run: Callable[..., Any], application: _Application) -> None:
    before = statements._run
    statements._run = run
    try:
        for number in range(IN_PROCESS):
            application.act(number)
    finally:
        statements._run = before


def _by_function(application: _Application, server: psycopg.Connection) -> Figures:
    """Return the time of each function and trigger itself, on a connection of its own."""
    server.execute("ALTER ROLE lototrot_app SET track_functions = 'all'")
    connections.close_all()
    try:
        server.execute("SELECT pg_stat_reset()")
        for number in range(IN_PROCESS):
            application.act(number)
        connections.close_all()  # a session that ends reports
    finally:
        server.execute("ALTER ROLE lototrot_app RESET track_functions")
    time.sleep(1)
    rows = server.execute(
        "SELECT funcname, self_time * 1000 / (SELECT calls FROM pg_stat_user_functions"
        " WHERE funcname = 'payoffice_pay') FROM pg_stat_user_functions"
        " WHERE self_time > 0 ORDER BY self_time DESC"
    ).fetchall()
    return {f"pay_cost.function.{name}_us": float(taken) for name, taken in rows}
