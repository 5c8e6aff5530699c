"""Run statements prepared on the server, for the hot paths: one statement, one transaction."""

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
    """Run a statement that may be repeated, prepared on the server; its one row.

    On a connection that the server has dropped it is run again on a new one: it must tell by its
    parameters whether the first did commit.
    """
    row = fetch_prepared(statement, parameters)
    if row is None:
        raise LookupError("the statement gave no row")
    return row


def fetch_prepared(statement: str, parameters: Sequence[Any]) -> tuple[Any, ...] | None:
    """The same for a query that may find nothing: its first row, or None."""
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
