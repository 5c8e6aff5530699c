"""Limit how long a statement takes, within transactions and after faults."""

import pytest
from django.db import DatabaseError, OperationalError, connection, transaction

from core.database.reading.limits import ReadingTooLong, limited
from tests.support.databases import Database


def statement(query: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(query)
        return str(cursor.fetchone()[0])


def in_force() -> str:
    return statement("SHOW statement_timeout")


def test_a_statement_that_takes_too_long_is_refused_and_the_next_is_not(
    own_database: Database,
) -> None:
    before = in_force()
    with pytest.raises(ReadingTooLong), limited(0.02):
        statement("SELECT pg_sleep(5)")
    assert in_force() == before
    with limited(7), limited(3):
        assert in_force() == "3s"
    assert in_force() == before


def test_the_limit_ends_with_a_transaction_that_is_rolled_back(own_database: Database) -> None:
    before = in_force()
    with pytest.raises(ReadingTooLong), transaction.atomic(), limited(0.02):
        statement("SELECT pg_sleep(5)")
    with pytest.raises(DatabaseError), transaction.atomic(), limited(7):
        statement("SELECT 1 / 0")
    assert in_force() == before


def test_a_lost_session_is_told_as_lost(own_database: Database) -> None:
    before = in_force()
    with pytest.raises(OperationalError), limited(7):
        statement("SELECT pg_terminate_backend(pg_backend_pid())")
    connection.close()
    assert in_force() == before
