"""Check that statements are prepared on the server, and survive a dropped connection."""

import psycopg
import pytest
from django.db import connection

from core.database.statements import call_function, fetch_prepared, run_prepared
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
        cursor.execute("SELECT count(*) FROM pg_prepared_statements")
        assert cursor.fetchone() == (1,)


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


def test_a_dropped_connection_is_made_anew(own_database: Database) -> None:
    assert run_prepared("SELECT %s::integer", [1]) == (1,)
    with psycopg.connect(own_database.owner_url, autocommit=True) as owner:
        owner.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    assert run_prepared("SELECT %s::integer", [2]) == (2,)
