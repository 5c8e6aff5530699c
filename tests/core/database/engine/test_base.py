"""See a session that takes no writes replaced, and every answer to it transient."""

import threading
from datetime import UTC, datetime

import psycopg
import pytest
from django.db import DataError, InternalError, OperationalError, connection, connections, models

from core.api import problems
from core.kernel.errors import Unavailable
from core.premises.models import Terminal
from core.premises.requests import new_uuid
from lototrot.services.contest.facts import contest_facts
from lototrot.services.tickets.selling import SaleRequest, ticket_sell
from tests.support import factories
from tests.support.databases import Database

DEMOTED = "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY"


def test_a_connection_that_takes_no_writes_is_not_usable(own_database: Database) -> None:
    connection.ensure_connection()
    assert connection.is_usable()
    with connection.cursor() as cursor:
        cursor.execute(DEMOTED)
    assert not connection.is_usable()
    with pytest.raises(InternalError) as refused, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE refused ()")
    assert isinstance(problems.domain_error(refused.value), Unavailable)
    connection.close_if_unusable_or_obsolete()
    assert connection.connection is None
    connection.ensure_connection()
    assert connection.is_usable()
    connection.close()
    assert not connection.is_usable()


def test_an_index_is_made_concurrently_after_a_try_that_failed(own_database: Database) -> None:
    selling = psycopg.connect(own_database.owner_url)
    selling.execute("LOCK TABLE premises_terminal IN ROW EXCLUSIVE MODE")
    owner = connections["owner"]
    with owner.cursor() as cursor:
        cursor.execute("SET lock_timeout = 100")
        with pytest.raises(OperationalError):
            cursor.execute("CREATE INDEX CONCURRENTLY trial ON premises_terminal (id)")
        threading.Timer(0.4, selling.close).start()
        with owner.schema_editor(atomic=False) as editor:
            index = models.Index(fields=["id"], name="trial")
            editor.add_index(Terminal, index, concurrently=True)
        cursor.execute("SELECT indisvalid FROM pg_index WHERE indexrelid = 'trial'::regclass")
        assert cursor.fetchone() == (True,)
        cursor.execute("SHOW lock_timeout")
        assert cursor.fetchone() == ("100ms",)
    owner.close()


def test_a_sale_on_a_server_that_was_demoted_is_sold_on_a_new_connection(
    own_database: Database,
) -> None:
    place = factories.point()
    contest = factories.contest()
    factories.acknowledge(contest, place)
    contest_facts(contest.pk)
    connection.ensure_connection()
    assert connection.connection is not None
    connection.connection.execute(DEMOTED)
    request = SaleRequest(
        new_uuid(), contest.pk, ((1,),) * 7, contest.price_cents, contest.price_cents
    )
    assert not ticket_sell(credentials=place.credentials, request=request).replayed


def test_nobody_connects_to_a_server_that_takes_no_writes(own_database: Database) -> None:
    with psycopg.connect(own_database.owner_url, autocommit=True) as owner:
        owner.execute(
            f'ALTER DATABASE "{own_database.name}" SET default_transaction_read_only = on'
        )
    for alias in connections:
        connections[alias].close()
    with pytest.raises(Exception, match="read-only") as refused:
        connection.ensure_connection()
    assert isinstance(problems.domain_error(refused.value), Unavailable)


@pytest.mark.django_db
def test_times_are_read_to_the_microsecond_in_utc() -> None:
    texts = ("0001-01-01 00:00:00+00", "2026-03-29 01:59:59.5+02", "2026-03-01 12:30:00.123456+00")
    with connection.cursor() as cursor:
        cursor.execute("SELECT unnest(%s::timestamptz[])", [list(texts)])
        read = [row[0] for row in cursor.fetchall()]
        assert read == [datetime.fromisoformat(text) for text in texts]
        assert {at.tzinfo for at in read} == {UTC}
        cursor.execute("SELECT ARRAY['2026-03-01 12:30+00'::timestamptz, NULL]")
        assert cursor.fetchone() == ([datetime(2026, 3, 1, 12, 30, tzinfo=UTC), None],)


@pytest.mark.django_db
@pytest.mark.parametrize("text", ["infinity", "10000-01-01 00:00+00", "0001-01-01 00:00+00 BC"])
def test_a_time_that_python_has_none_for_is_an_error_of_the_database(text: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT %s::timestamptz", [text])
        with pytest.raises(DataError):
            cursor.fetchone()
