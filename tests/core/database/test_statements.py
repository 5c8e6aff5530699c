"""Check that statements are prepared on the server, and survive a dropped connection."""

import gc
import uuid
import weakref
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from django.db import DataError, OperationalError, ProgrammingError, connection, transaction
from psycopg.types.json import Jsonb

from core.database.models import ClockOffset
from core.database.statements import (
    _executed,
    _numbered,
    call_function,
    fetch_prepared,
    run_prepared,
)
from tests.support.databases import Database


@pytest.mark.django_db
def test_a_statement_is_prepared_on_the_server_the_first_time() -> None:
    statement = "SELECT %s::integer + 1"
    assert run_prepared(statement, [1]) == (2,)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%%+ 1'"
            " AND NOT statement LIKE '%%pg_prepared%%'"
        )
        assert cursor.fetchone() == (1,)
        for _ in range(20):
            cursor.execute("SELECT 7")
        cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE statement = 'SELECT 7'")
        assert cursor.fetchone() == (0,)


@pytest.mark.django_db
def test_a_function_is_called_by_the_names_of_its_parameters() -> None:
    answer = call_function("premises_identify", session=b"2", token=b"1")
    assert answer == ("terminal_unknown", None, None, None, None, None)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_prepared_statements WHERE starts_with(statement,"
            " 'SELECT * FROM premises_identify(p_session => $1, p_token => $2)')"
        )
        assert cursor.fetchone() == (1,)


@pytest.mark.django_db
def test_a_query_that_finds_nothing() -> None:
    assert fetch_prepared("SELECT 1 WHERE %s", [False]) is None
    with pytest.raises(LookupError):
        run_prepared("SELECT 1 WHERE %s", [False])


def _end_sessions(database: Database) -> None:
    with psycopg.connect(database.owner_url, autocommit=True) as owner:
        owner.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def test_a_dropped_connection_is_made_anew(own_database: Database) -> None:
    assert run_prepared("SELECT %s::integer", [1]) == (1,)
    _end_sessions(own_database)
    assert run_prepared("SELECT %s::integer", [2]) == (2,)


def test_outside_a_transaction_the_client_library_is_called_directly(
    own_database: Database,
) -> None:
    """It converts as the driver's cursors do, commits, and prepares each statement once."""
    content: list[Any] = [
        7,
        70_000,
        b"\x00\xff",
        [1, 2],
        None,
        "à %",
        uuid.UUID(int=5),
        datetime(2026, 3, 1, tzinfo=UTC),
        Jsonb({"a": [1]}),
    ]
    statement = "SELECT " + ", ".join(["%s"] * len(content))
    with transaction.atomic():
        by_cursor = run_prepared(statement, content)
    for _ in range(3):
        assert run_prepared(statement, content) == by_cursor
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_prepared_statements WHERE starts_with(name, 'hot_')"
        )
        assert cursor.fetchone() == (1,)
    assert fetch_prepared("SELECT 1 WHERE %s", [False]) is None


def test_one_statement_with_values_of_several_types(own_database: Database) -> None:
    at = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)
    contents: list[Any] = [1, "1", at, 70_000, 2**40, None, b"1", at, 1]
    for content in contents:
        assert run_prepared("SELECT %s", [content]) == (content,)
    (again,) = run_prepared("SELECT %s", [at])
    assert again.tzinfo is UTC


def test_a_connection_that_nobody_uses_ends_at_once(own_database: Database) -> None:
    session = psycopg.connect(own_database.app_url, autocommit=True)
    assert _executed(session, "SELECT %s::integer", [7]) == (7,)
    library = weakref.ref(session.pgconn)
    session.close()
    ended = weakref.ref(session)
    gc.disable()
    try:
        del session
        assert ended() is None and library() is None
    finally:
        gc.enable()


def test_statements_stay_prepared_after_a_rollback(own_database: Database) -> None:
    for number in range(3):
        assert run_prepared("SELECT %s::integer", [number]) == (number,)
        with transaction.atomic():
            run_prepared("SELECT %s::integer + 1", [number])
            transaction.set_rollback(True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_prepared_statements")
        assert cursor.fetchone() == (2,)


def test_statements_that_somebody_dropped_are_prepared_again(own_database: Database) -> None:
    for number in range(2):
        assert run_prepared("SELECT %s::integer", [number]) == (number,)
        with connection.cursor() as cursor:
            cursor.execute("DEALLOCATE ALL")
    with transaction.atomic():
        with pytest.raises(ProgrammingError), transaction.atomic():
            run_prepared("SELECT %s::integer", [8])  # this transaction cannot go on
        assert run_prepared("SELECT %s::integer", [9]) == (9,)


def test_a_statement_that_is_the_first_of_a_transaction_begins_it(own_database: Database) -> None:
    insert = (
        'INSERT INTO database_clockoffset ("offset", set_at, reason)'
        " SELECT interval '1 s', core_now(), %s RETURNING true"
    )
    with transaction.atomic():
        assert run_prepared(insert, ["undone"]) == (True,)
        transaction.set_rollback(True)
    assert not ClockOffset.objects.exists()
    with transaction.atomic():
        assert run_prepared(insert, ["kept"]) == (True,)
    assert ClockOffset.objects.get().reason == "kept"


def test_where_no_transaction_begins_nothing_is_run(own_database: Database) -> None:
    """It would be committed by itself, whatever becomes of the rest."""
    run_prepared("SELECT %s::integer", [1])
    _end_sessions(own_database)
    with pytest.raises(OperationalError, match=r"server closed|terminating"), transaction.atomic():
        run_prepared("SELECT %s::integer", [1])
    assert run_prepared("SELECT %s::integer", [1]) == (1,)


def test_outside_a_transaction_errors_are_those_of_the_driver(own_database: Database) -> None:
    for _ in range(2):
        with pytest.raises(DataError):
            run_prepared("SELECT 1 / %s::integer", [0])
    with pytest.raises(ProgrammingError):
        run_prepared("SELECT nothing_here(%s)", [0])
    assert run_prepared("SELECT 1 / %s::integer", [1]) == (1,)


def test_a_statement_has_no_other_placeholders() -> None:
    with pytest.raises(ValueError, match="no other"):
        _numbered("SELECT %(name)s")
