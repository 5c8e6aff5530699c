"""The hot path's way to the database: one prepared statement, in a transaction of its own."""

from collections.abc import Sequence
from typing import Any

import psycopg
from django.db import OperationalError, connection


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
