"""Rows in the binary format of COPY come whole, or with the server's error."""

import psycopg
import pytest
from django.db import connection, transaction

from core.database.binary_copy import rows_of

pytestmark = pytest.mark.django_db

_QUERY = "COPY (SELECT {} FROM generate_series(1, {}) n) TO STDOUT (FORMAT BINARY)"


def _row(number: int) -> bytes:
    return b"\0\1\0\0\0\4" + number.to_bytes(4, "big")


@pytest.mark.parametrize("count", [0, 1, 5000])
def test_rows_are_read_whole(count: int) -> None:
    with connection.cursor() as cursor, cursor.copy(_QUERY.format("n", count)) as copy:
        assert list(rows_of(copy)) == [_row(n) for n in range(1, count + 1)]
    with connection.cursor() as cursor:
        cursor.execute("SELECT 7")  # the connection is free again


def test_a_failure_of_the_server_is_raised() -> None:
    with (
        pytest.raises(psycopg.Error, match="division by zero"),
        transaction.atomic(),
        connection.cursor() as cursor,
        cursor.copy(_QUERY.format("1 / (3 - n)", 9)) as copy,
    ):
        list(rows_of(copy))
