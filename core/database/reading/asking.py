"""Ask the database a question in SQL, and return its answer. The statement may write as well."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection
from psycopg.sql import Composed

Parameters = Sequence[Any] | Mapping[str, Any] | None


def fetch_all(statement: str | Composed, parameters: Parameters = None) -> list[Any]:
    """Return all rows, each a tuple."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        rows: list[Any] = cursor.fetchall()
    return rows


def fetch_row(statement: str | Composed, parameters: Parameters = None) -> Any:
    """Return the first row as a tuple; None if there is none."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return cursor.fetchone()


def fetch_value(statement: str | Composed, parameters: Parameters = None) -> Any:
    """Return the first column of the first row, which there must be."""
    return fetch_row(statement, parameters)[0]
