"""Run statements prepared on the server, one statement to a transaction, for the hot paths."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import psycopg
from django.db import OperationalError, connection


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

    If the server has dropped the connection, the statement runs again on a new one. It must
    therefore recognise by its parameters that the first run was committed.
    """
    row = fetch_prepared(statement, parameters)
    if row is None:
        raise LookupError("the statement gave no row")
    return row


def fetch_prepared(statement: str, parameters: Sequence[Any]) -> tuple[Any, ...] | None:
    """Run a prepared query as `run_prepared` does; return its first row, or None if it has none."""
    try:
        return _once(statement, parameters)
    except OperationalError:
        dropped = connection.connection is not None and connection.connection.closed
        if connection.in_atomic_block or not dropped:
            raise
    connection.close()
    return _once(statement, parameters)


def _once(statement: str, parameters: Sequence[Any]) -> tuple[Any, ...] | None:
    connection.ensure_connection()
    with connection.wrap_database_errors, psycopg.Cursor(connection.connection) as cursor:
        return cursor.execute(statement, parameters, prepare=True).fetchone()
