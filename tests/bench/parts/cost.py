"""Divide the processor time of a sale among its parts, in microseconds for each sale.

`cost.client`, `cost.web` and `cost.postgres` are what the kernel counted for the processes while
32 connections sold.

`cost.web.*` divides the second: sales through the application in this process take what one thread
takes; `server` is the HTTP server, by requests that it answers without the application (`/livez`,
which has no body to read); `rest` is what is left, threads that wait for each other. It is below
nothing where several waiting sales are one statement.

`cost.postgres.*` divides the third: the statement alone, without HTTP, against the bare writes; the
same where no commit waits for the disk, so that `flush` is the processor of writing and flushing
the log at the commit; and eight sales in one statement, for each. In a short run on a busy machine
that difference is within the noise and can be below nothing. Making the log's records is inside the
statement and cannot be told apart without samples; `cost.wal_bytes` are their bytes.

Names that end in `_clock_us` are by the server's clocks on one connection, and no processor time:
functions each without what they call, writes and triggers of one row.
"""

import io
import json
import os
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from core.api.views import LeanView
from core.config.health import LIVEZ
from core.config.hot_paths import Handler
from core.config.one_write import in_one_write
from core.database.tokens import token_digest
from core.premises.requests import Sales as SalesOfGame
from lototrot.api import sale as sale_api
from lototrot.models.contest import Contest
from lototrot.services.tickets import selling
from tests.bench import raw
from tests.bench.parts import sale
from tests.bench.processor import taken_s
from tests.bench.store import Figures, Skipped, Store
from tests.support import factories
from tests.support.factories.request_uuids import V7

IN_PROCESS = 400
"""Sales through the application in this process; a quarter as many before are not counted."""
_POINTS = "bench_points"
TOGETHER = 8
"""Sales in one statement, where several wait (`cost.postgres.together_us`)."""
# A copy of the newest row, as a sale would write it; PostgreSQL names each trigger with its time.
_WRITES = {
    "ticket": (
        "INSERT INTO lototrot_ticket ({columns}) SELECT {values} FROM lototrot_ticket"
        " ORDER BY id DESC LIMIT 1",
        "lototrot_ticket",
    ),
    "transfer": (
        "INSERT INTO ledger_transfer ({columns}) SELECT {values} FROM ledger_transfer"
        " ORDER BY id DESC LIMIT 1",
        "ledger_transfer",
    ),
    "till": (
        "UPDATE statements_till SET owed_cents = owed_cents + 1 WHERE terminal_id = ("
        "SELECT terminal_id FROM lototrot_ticket ORDER BY id DESC LIMIT 1)",
        "statements_till",
    ),
}
_NEW = {
    "uuid": V7,
    "reference": "'{act}'",
    "code_digest": "substr(code_digest, 1, 2) || substr(uuid_send(gen_random_uuid()), 1, 13)",
}


def measure(store: Store) -> Figures:
    """Return the figures `cost.*`. Skipped without /proc or with a server that is not ours."""
    if not Path("/proc/self/stat").exists():
        raise Skipped("there is no /proc, from which processor time is read")
    raw.copy("lototrot_ticket", "uuid")
    raw.copy("ledger_transfer", "reference")
    with store.contest_on_sale() as (contest, points), store.superuser() as server:
        row = server.execute("SHOW data_directory").fetchone()
        if row is None:
            raise RuntimeError("the server does not say where its data are")
        postmaster = int(Path(row[0], "postmaster.pid").read_text().split()[0])
        figures = _over_http(store, contest, points, postmaster, server)
        figures |= _in_process(contest, points)
        figures["cost.web.rest_us"] = (
            figures["cost.web_us"]
            - figures["cost.web.server_us"]
            - figures["cost.web.application_us"]
        )
        return figures | _in_the_database(store, contest, points, postmaster, server)


def _over_http(
    store: Store,
    contest: Contest,
    points: list[factories.Point],
    postmaster: int,
    server: psycopg.Connection,
) -> Figures:
    """Return what each of the processes took for a sale, after a run that is not counted."""
    sales = sale.Sales(contest, points)
    store.load(sales.request, seconds=1)
    roots = {"web": store.stack.pid("sales"), "postgres": postmaster}
    before = {name: taken_s(pid) for name, pid in roots.items()}
    wal = _wal_bytes(server)
    load = store.load(sales.request)
    sold = load.statuses[201]
    figures = {
        f"cost.{name}_us": (taken_s(pid) - before[name]) * 1e6 / sold for name, pid in roots.items()
    }
    figures["cost.client_us"] = load.client_cpu_s * 1e6 / sold
    figures["cost.all_us"] = sum(figures.values())
    figures["cost.wal_bytes"] = (_wal_bytes(server) - wal) / sold
    return figures | {"cost.web.server_us": _server_us(store, roots["web"])}


def _server_us(store: Store, pid: int) -> float:
    """Return what the web processes take for a request that the application never sees."""
    request = f"GET {LIVEZ} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    before = taken_s(pid)
    load = store.load(lambda _: request, statuses={200})
    return (taken_s(pid) - before) * 1e6 / load.statuses[200]


def _wal_bytes(server: psycopg.Connection) -> int:
    row = server.execute("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')").fetchone()
    return int(row[0]) if row else 0


# --- The application ------------------------------------------------------------------------------


class _Meter:
    """Add up the processor time of this thread inside functions, each with all it calls."""

    def __init__(self) -> None:
        self.taken_s: dict[str, float] = {}

    def timed(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function so that its time is counted under the name."""

        def call(*args: Any, **kwargs: Any) -> Any:
            began = time.thread_time()
            try:
                return function(*args, **kwargs)
            finally:
                taken = time.thread_time() - began
                self.taken_s[name] = self.taken_s.get(name, 0.0) + taken

        return call

    @contextmanager
    def points(self, *places: tuple[str, Any, str]) -> Iterator[None]:
        """Count the functions at these places: the name, the owner and the attribute."""
        before = [(owner, attribute, getattr(owner, attribute)) for _, owner, attribute in places]
        for name, owner, attribute in places:
            setattr(owner, attribute, self.timed(name, getattr(owner, attribute)))
        try:
            yield
        finally:
            for owner, attribute, function in before:
                setattr(owner, attribute, function)


def _in_process(contest: Contest, points: list[factories.Point]) -> Figures:
    """Return what one thread of the application takes for a sale, by stage."""
    sales = sale.Sales(contest, points)
    application = in_one_write(Handler())
    meter = _Meter()
    places = (
        ("view", LeanView, "dispatch"),
        ("parsing", LeanView, "body"),
        ("service", selling, "ticket_sell"),
        ("driver", SalesOfGame, "sell"),
        ("answer", sale_api, "card_of"),
    )
    first, counted = (
        [_environ(sales.request(number % len(points))) for number in range(each)]
        for each in (IN_PROCESS // 4, IN_PROCESS)
    )
    with _unheard():
        for environ in first:
            _sell(application, environ)
        with meter.points(*places):
            for environ in counted:
                meter.timed("all", _sell)(application, environ)
    taken = {name: seconds * 1e6 / IN_PROCESS for name, seconds in meter.taken_s.items()}
    return {
        "cost.web.application_us": taken["all"],
        "cost.web.middleware_us": taken["all"] - taken["view"],
        "cost.web.parsing_us": taken["parsing"],
        "cost.web.rules_us": taken["service"] - taken["driver"],
        "cost.web.driver_us": taken["driver"],
        "cost.web.answer_us": taken["answer"],
    }


@contextmanager
def _unheard() -> Iterator[None]:
    """Write the log's lines, which are part of a sale, to nowhere."""
    sys.stdout.flush()
    kept = os.dup(1)
    with Path(os.devnull).open("wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


def _environ(request: bytes) -> dict[str, Any]:
    """Return an HTTP/1.1 request as a WSGI server hands it over."""
    head, _, body = request.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    method, target, _ = first.split(" ")
    environ: dict[str, Any] = {
        "REQUEST_METHOD": method,
        "PATH_INFO": target,
        "SCRIPT_NAME": "",
        "QUERY_STRING": "",
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "REMOTE_ADDR": "127.0.0.1",
        "wsgi.input": io.BytesIO(body),
        "wsgi.url_scheme": "http",
    }
    for line in lines:
        name, _, value = line.partition(": ")
        key = name.upper().replace("-", "_")
        environ[key if key.startswith("CONTENT_") else f"HTTP_{key}"] = value
    return environ


def _sell(application: Callable[..., Any], environ: dict[str, Any]) -> None:
    statuses: list[str] = []
    application(environ, lambda status, _headers, *_: statuses.append(status))
    if not statuses[0].startswith("201"):
        raise RuntimeError(f"a sale was refused: {statuses[0]}")


# --- The database ---------------------------------------------------------------------------------


def _in_the_database(
    store: Store,
    contest: Contest,
    points: list[factories.Point],
    postmaster: int,
    server: psycopg.Connection,
) -> Figures:
    folder = store.stack.folder
    script, bare = folder / "statement.sql", folder / "bare.sql"
    together = folder / "together.sql"
    script.write_text(_statement(contest))
    bare.write_text(sale._RAW)
    together.write_text(f"CALL lototrot_sell_each({_POINTS}_calls(:client_id));\n")
    server.execute(f"CREATE TABLE {_POINTS} (n int PRIMARY KEY, token bytea, session bytea)")
    server.execute(_calls(contest))
    try:
        with server.cursor() as cursor:
            cursor.executemany(
                f"INSERT INTO {_POINTS} VALUES (%s, %s, %s)",
                [
                    (n, token_digest(point.token), token_digest(point.session_token))
                    for n, point in enumerate(points)
                ],
            )
        server.execute(f"GRANT SELECT ON {_POINTS} TO PUBLIC")
        figures = {}
        for name, file, role, sales, commit in (
            ("bare", bare, "DATABASE_OWNER_URL", 1, "on"),
            ("statement", script, "DATABASE_URL", 1, "on"),
            ("unflushed", script, "DATABASE_URL", 1, "off"),
            ("together", together, "DATABASE_URL", TOGETHER, "on"),
        ):
            with _of_sellers(server, "synchronous_commit", commit):
                before = taken_s(postmaster)
                done = raw.done(file, store, role=role) * sales
                figures[f"cost.postgres.{name}_us"] = (taken_s(postmaster) - before) * 1e6 / done
        figures["cost.postgres.flush_us"] = (
            figures["cost.postgres.statement_us"] - figures["cost.postgres.unflushed_us"]
        )
        return figures | _functions(store, script, server) | _writes(server)
    finally:
        server.execute(f"DROP FUNCTION IF EXISTS {_POINTS}_calls; DROP TABLE {_POINTS}")


def _calls(contest: Contest) -> str:
    """Return SQL that makes the function which returns sales of terminals from one on, as JSON."""
    digest = "'" + "A" * 43 + "='"
    return f"""CREATE FUNCTION {_POINTS}_calls(p_from int) RETURNS jsonb LANGUAGE sql AS $$
        SELECT jsonb_agg(jsonb_build_object('token', encode(p.token, 'base64'),
               'session', encode(p.session, 'base64'), 'contest', {contest.pk},
               'uuid', {V7}, 'request', {digest},
               'legs', jsonb_build_array({",".join("1" for _ in contest.offered_masks)}),
               'quick_legs', 0, 'bets', 1, 'amount', {contest.price_cents},
               'code', encode(uuid_send(gen_random_uuid()), 'base64'), 'commitment', {digest}))
          FROM generate_series(p_from, p_from + {TOGETHER - 1}) g(n)
          JOIN {_POINTS} p ON p.n = g.n % (SELECT count(*) FROM {_POINTS}) $$"""


def _statement(contest: Contest) -> str:
    """Return the statement of a sale with new UUIDs, for the terminal of pgbench's client."""
    legs = "{" + ",".join("1" for _ in contest.offered_masks) + "}"
    digest = "00" * 32
    return (
        f"SELECT s.* FROM {_POINTS} p, lototrot_sell(p.token, p.session, {contest.pk},"
        f" {V7}, '\\x{digest}', '{legs}', 0, 1, {contest.price_cents},"
        f" uuid_send(gen_random_uuid()), '\\x{digest}') s WHERE p.n = :client_id;\n"
    )


@contextmanager
def _of_sellers(server: psycopg.Connection, setting: str, value: str) -> Iterator[None]:
    """Give new sessions of the application's role another setting."""
    server.execute(f"ALTER ROLE lototrot_app SET {setting} = '{value}'")
    try:
        yield
    finally:
        server.execute(f"ALTER ROLE lototrot_app RESET {setting}")


def _functions(store: Store, script: Path, server: psycopg.Connection) -> Figures:
    """Return the time of each function itself, on one connection, where nothing waits."""
    with _of_sellers(server, "track_functions", "all"):
        server.execute("SELECT pg_stat_reset()")
        raw.done(script, store, role="DATABASE_URL", connections=1)
    rows = server.execute(
        "SELECT funcname, self_time * 1000 / (SELECT calls FROM pg_stat_user_functions"
        " WHERE funcname = 'lototrot_sell') FROM pg_stat_user_functions"
        " WHERE self_time > 0 ORDER BY self_time DESC"
    ).fetchall()
    return {f"cost.function.{name}_clock_us": float(taken) for name, taken in rows}


def _writes(server: psycopg.Connection) -> Figures:
    """Return the time of each write and of its triggers, the best of some, all rolled back."""
    figures: Figures = {}
    for name, (statement, table) in _WRITES.items():
        columns = [
            row[0]
            for row in server.execute(
                "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0"
                " AND NOT attisdropped AND attname NOT IN ('id', 'journal_xid')",
                [table],
            ).fetchall()
        ]
        text = statement.format(
            columns=", ".join(columns), values=", ".join(_NEW.get(c, c) for c in columns)
        )
        plans = [_explained(server, text, is_first=name == "ticket") for _ in range(20)]
        figures[f"cost.write.{name}_clock_us"] = (
            min(plan["Execution Time"] for plan in plans) * 1000
        )
        for trigger in {each["Trigger Name"] for plan in plans for each in plan["Triggers"]}:
            figures[f"cost.trigger.{name}.{trigger}_clock_us"] = 1000 * min(
                each["Time"]
                for plan in plans
                for each in plan["Triggers"]
                if each["Trigger Name"] == trigger
            )
    return figures


def _explained(server: psycopg.Connection, statement: str, *, is_first: bool) -> dict[str, Any]:
    """Explain a write inside a transaction that is named as a sale; its first one notes the act."""
    act = str(uuid.uuid4())
    with server.transaction(force_rollback=True):
        server.execute("SELECT set_config('core.act', %s, true)", [f"lototrot.sale||||1|{act}"])
        if not is_first:
            server.execute("SELECT journal_note()")
        text = statement.replace("{act}", act)
        row = server.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {text}").fetchone()
        if row is None:
            raise RuntimeError("no plan was shown")
        plan: dict[str, Any] = (row[0] if isinstance(row[0], list) else json.loads(row[0]))[0]
        return plan
