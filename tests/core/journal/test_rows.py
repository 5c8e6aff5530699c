"""Read rows as the journal's entries: as they were written, in order, with secrets as digests."""

import hashlib

import pytest
from django.db import connection, transaction

from core.journal import acting, rows
from core.journal.rows import Span
from core.journal.wire import Entry
from core.premises.models import Premises
from tests.support import factories
from tests.support.databases import Database
from tests.support.journaling import TABLES

PREMISES = TABLES["premises_premises"]


def _entries() -> list[Entry]:
    with transaction.atomic(), rows.ready():
        return list(rows.entries(PREMISES, rows.present_columns(PREMISES), Span(0)))


def _texts(sql: str) -> list[str]:
    with transaction.atomic(), rows.ready(), connection.cursor() as cursor:
        cursor.execute(f"SELECT ({sql})::text FROM premises_premises t ORDER BY id")
        return [text for (text,) in cursor.fetchall()]


def test_entries_are_digests_in_the_order_of_transactions(own_database: Database) -> None:
    premises = [factories.premises() for _ in range(3)]
    entries = _entries()
    assert [entry.row for entry in entries] == [place.pk for place in premises]
    assert [entry.xid for entry in entries] == sorted(entry.xid for entry in entries)
    written = _texts(rows.written_sql(PREMISES, rows.present_columns(PREMISES)))
    digests = [hashlib.sha256(text.encode()).digest() for text in written]
    assert [entry.digest for entry in entries] == digests


def test_a_row_that_changed_is_read_as_it_was_first_written(own_database: Database) -> None:
    place = factories.premises()
    before, image = _entries(), _texts(rows.image_sql(PREMISES))
    column = PREMISES.changing[0]
    for value in ("Another", "A third"):
        with acting.acting("renaming"):
            Premises.objects.filter(pk=place.pk).update(**{column: value})
    assert _texts(rows.image_sql(PREMISES)) != image
    assert _entries() == before


def test_tables_are_found_by_the_transactions_that_wrote_to_them(own_database: Database) -> None:
    factories.premises()
    (entry,) = _entries()
    assert PREMISES in rows.written_to(Span(entry.xid, entry.xid + 1))
    assert PREMISES in rows.written_to(Span(entry.xid + 1, entry.xid + 2, late=(entry.xid,)))
    assert rows.written_to(Span(entry.xid, entry.xid + 1, open=(entry.xid,))) == []
    assert rows.written_to(Span(2**62, 2**62 + 1)) == []


@pytest.mark.django_db
def test_a_secret_column_is_read_as_a_digest() -> None:
    operators = TABLES["premises_operator"]
    assert "pin" in operators.secret
    assert "journal_image" in rows.image_sql(operators)
    assert "journal_image" not in rows.image_sql(PREMISES)
    assert "pin" in rows.present_columns(operators)
