"""Take locks in their order, inside a transaction or for a session."""

import uuid

import psycopg
import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from core.database.locks import Lock, LocksOutOfPlace, hold, session_hold
from core.premises.requests import new_uuid
from tests.support.databases import Database


def test_a_lock_outside_a_transaction_is_a_fault(own_database: Database) -> None:
    with pytest.raises(LocksOutOfPlace):
        hold((Lock.CLOCK, 0))


@pytest.mark.django_db
def test_locks_are_taken_in_the_order_of_their_numbers() -> None:
    with CaptureQueriesContext(connection) as queries, transaction.atomic():
        hold((Lock.LOG, 0), (Lock.CONTEST, 7), (Lock.CONTEST, 3))
        hold((Lock.SALES, 1), shared=True)
    taken = [query["sql"] for query in queries if "pg_advisory" in query["sql"]]
    assert taken == [
        f"SELECT pg_advisory_xact_lock({Lock.CONTEST:d}, 3)",
        f"SELECT pg_advisory_xact_lock({Lock.CONTEST:d}, 7)",
        f"SELECT pg_advisory_xact_lock({Lock.LOG:d}, 0)",
        f"SELECT pg_advisory_xact_lock_shared({Lock.SALES:d}, 1)",
    ]


@pytest.mark.django_db
def test_keys_are_in_order_as_the_server_sees_them() -> None:
    """It sees 31 bits of a key: two acts with the same locks would otherwise wait in a circle."""
    with CaptureQueriesContext(connection) as queries, transaction.atomic():
        hold((Lock.REQUEST, 2), (Lock.REQUEST, 2**31 + 1))
    taken = [query["sql"] for query in queries if "pg_advisory" in query["sql"]]
    assert taken == [
        f"SELECT pg_advisory_xact_lock({Lock.REQUEST:d}, 1)",
        f"SELECT pg_advisory_xact_lock({Lock.REQUEST:d}, 2)",
    ]


def test_one_session_has_a_lock_and_the_other_does_not_wait(own_database: Database) -> None:
    with psycopg.connect(own_database.app_url, autocommit=True) as other:

        def is_free() -> bool:
            row = other.execute("SELECT pg_try_advisory_lock(%s, 0)", [int(Lock.NIGHT)]).fetchone()
            other.execute("SELECT pg_advisory_unlock_all()")
            return bool(row and row[0])

        with session_hold(Lock.NIGHT) as held:
            assert held
            assert not is_free()
        assert is_free()
        other.execute("SELECT pg_advisory_lock(%s, 0)", [int(Lock.NIGHT)])
        with session_hold(Lock.NIGHT) as held:
            assert not held
    with session_hold(Lock.DELIVERY, 2**31 + 5) as held:
        assert held


@pytest.mark.django_db
def test_a_request_is_one_lock_in_python_and_in_sql() -> None:
    """An exchange and a payment under one UUID at once would both find it new."""
    for ident in (uuid.UUID(int=0), uuid.UUID(int=2**128 - 1), *(new_uuid() for _ in range(50))):
        with CaptureQueriesContext(connection) as queries, transaction.atomic():
            hold((Lock.REQUEST, ident.int))
        (taken,) = (each["sql"] for each in queries if "pg_advisory" in each["sql"])
        with connection.cursor() as cursor:
            cursor.execute("SELECT core_request_key(%s)", [ident])
            (key,) = cursor.fetchone()
        assert taken == f"SELECT pg_advisory_xact_lock({Lock.REQUEST:d}, {key})"
