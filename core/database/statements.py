"""Run statements prepared on the server, one statement to a transaction, for the hot paths."""

import weakref
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import count
from typing import Any
from weakref import WeakKeyDictionary

import psycopg
from django.db import DEFAULT_DB_ALIAS, DatabaseError, OperationalError, connection, connections
from psycopg.adapt import AdaptersMap, PyFormat, Transformer
from psycopg.pq import ConnStatus, DiagnosticField, ExecStatus, TransactionStatus
from psycopg.pq.abc import PGconn, PGresult
from psycopg.types.datetime import TimestamptzLoader

Once = Callable[[str, Sequence[Any]], tuple[Any, ...] | None]
"""Run a prepared statement with its parameters, and return its first row or None."""


def observe(around: Callable[[Once], Once]) -> None:
    """Run every statement of this module inside the context that `around` returns, for traces."""
    global _run  # noqa: PLW0603  (said once, as the process starts)
    _run = around(_once)


@lru_cache(maxsize=64)
def _call(function: str, names: tuple[str, ...]) -> str:
    arguments = ", ".join(f"p_{name} => %s" for name in names)
    return f"SELECT * FROM {function}({arguments})"


def call_function(function: str, **arguments: Any) -> tuple[Any, ...]:
    """Call an SQL function of the project and return its one row.

    Each argument `x` goes to the parameter `p_x`. The statement is prepared and may be repeated,
    as in `run_prepared`.
    """
    return run_prepared(_call(function, tuple(arguments)), [*arguments.values()])


def run_prepared(statement: str, parameters: Sequence[Any]) -> tuple[Any, ...]:
    """Run a statement prepared on the server, and return its one row. Raises LookupError without
    one.

    If the server has dropped the connection, or takes no writes any more, the statement runs again
    on a new one. It must therefore recognise by its parameters that the first run was committed.
    """
    row = fetch_prepared(statement, parameters)
    if row is None:
        raise LookupError("the statement gave no row")
    return row


def fetch_prepared(statement: str, parameters: Sequence[Any]) -> tuple[Any, ...] | None:
    """Run a prepared query as `run_prepared` does; return its first row, or None if it has none."""
    try:
        return _run(statement, parameters)
    except DatabaseError as error:
        if connection.in_atomic_block or not (_dropped(error) or is_read_only(error)):
            raise
    connection.close()
    return _run(statement, parameters)


def run_prepared_once(statement: str, parameters: Sequence[Any]) -> tuple[Any, ...]:
    """Run a prepared statement as `run_prepared` does, but never again. Raises LookupError."""
    row = _run(statement, parameters)
    if row is None:
        raise LookupError("the statement gave no row")
    return row


def _dropped(error: DatabaseError) -> bool:
    link = connection.connection
    return isinstance(error, OperationalError) and link is not None and link.closed


def is_read_only(error: BaseException) -> bool:
    """Return whether the server refused to write: it is a standby, or was made read-only."""
    cause = error if isinstance(error, psycopg.Error) else error.__cause__
    return isinstance(cause, psycopg.errors.ReadOnlySqlTransaction)


def _once(statement: str, parameters: Sequence[Any]) -> tuple[Any, ...] | None:
    ours = connections[DEFAULT_DB_ALIAS]  # `connection` looks it up again for each attribute
    ours.ensure_connection()
    session: psycopg.Connection = ours.connection
    with ours.wrap_database_errors:
        try:
            return _executed(session, statement, parameters)
        except psycopg.errors.InvalidSqlStatementName:  # somebody dropped those of this session
            _links.pop(session, None)
            if not session.autocommit:
                raise
            return _executed(session, statement, parameters)


_run: Once = _once


class _Link:
    """A connection, for converters that are kept as long as it, and what they convert with.

    It refers weakly to the connection, so that one that nobody uses ends at once. Times are read by
    the driver's own loader, which is compiled.
    """

    def __init__(self, session: psycopg.Connection) -> None:
        self.connection: Any = weakref.proxy(session)
        self.adapters = AdaptersMap(session.adapters)
        self.adapters.register_loader("timestamptz", TimestamptzLoader)
        self.statements: dict[str, _Statement] = {}


class _Statement:
    """A statement on one connection: its converter, and its names by the types of its values.

    The driver's cursors keep their converter, too, while they repeat a statement. `loads` is the
    name whose columns it loads.
    """

    __slots__ = ("converter", "formats", "loads", "names")

    def __init__(self, link: _Link, values: int) -> None:
        self.converter = Transformer(link)
        self.formats = [PyFormat.AUTO] * values
        self.names: dict[tuple[int, ...] | None, bytes] = {}
        self.loads = b""


def _executed(
    session: psycopg.Connection, statement: str, parameters: Sequence[Any]
) -> tuple[Any, ...] | None:
    """Execute a prepared statement by the client library in one call.

    It converts parameters and the row, and begins a transaction, as the driver does. The driver's
    cursors wait in steps, so that others can run on its thread: here every request has its own
    (docs/adr/0030).
    """
    library = session.pgconn
    if not session.autocommit and library.transaction_status == TransactionStatus.IDLE:
        begun = library.exec_(b"BEGIN")
        if begun.status != ExecStatus.COMMAND_OK:  # what follows would be committed by itself
            raise _error(library, begun)
    link = _links.get(session)
    if link is None:
        link = _links[session] = _Link(session)
    prepared = link.statements.get(statement)
    if prepared is None:
        prepared = link.statements[statement] = _Statement(link, len(parameters))
    converter = prepared.converter
    values = converter.dump_sequence(parameters, prepared.formats)
    name = prepared.names.get(converter.types)
    if name is None:
        name = b"hot_%d" % next(_numbers)
        result = library.prepare(name, _numbered(statement), converter.types)
        if result.status == ExecStatus.COMMAND_OK:
            prepared.names[converter.types] = name
        else:
            raise _error(library, result)
    result = library.exec_prepared(name, values, converter.formats)  # type: ignore[arg-type]
    if result.status != ExecStatus.TUPLES_OK:
        raise _error(library, result)
    # The columns of a name keep their types: the server refuses a plan that would change them.
    converter.set_pgresult(result, set_loaders=prepared.loads != name)
    prepared.loads = name
    row = converter.load_row(0, tuple) if result.ntuples else None
    converter.set_pgresult(None, set_loaders=False)  # the row is not kept
    return row


_links: WeakKeyDictionary[psycopg.Connection, _Link] = WeakKeyDictionary()
_numbers = count()


@lru_cache(maxsize=256)
def _numbered(statement: str) -> bytes:
    """Return the statement with `$1`, `$2`... for each `%s`, its only kind of placeholder."""
    first, *rest = statement.split("%s")
    if any("%" in part for part in (first, *rest)):
        raise ValueError("a prepared statement has no other % than in %s")
    return (first + "".join(f"${n}{part}" for n, part in enumerate(rest, start=1))).encode()


def _error(link: PGconn, result: PGresult) -> psycopg.Error:
    if link.status == ConnStatus.BAD and not result.error_field(DiagnosticField.SQLSTATE):
        return psycopg.OperationalError(result.get_error_message())
    return psycopg.errors.error_from_result(result)
