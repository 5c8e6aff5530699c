"""Divide the journal into stretches, also while transactions end late and batches are sealed."""

import dataclasses
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import psycopg
import pytest
from django.db import connection, transaction

from core.journal import rows, spans
from core.journal.models import Act, Batch, RowForm
from core.journal.retired.left import Left, sealed_entries
from core.journal.services import last_batch
from core.journal.spans import WHOLE, Batches, Stretch, in_order, part_that_sealed, stretches
from core.journal.verifying import verify
from tests.support import factories
from tests.support.databases import Database
from tests.support.journaling import TABLES, seal_all

PREMISES = TABLES["premises_premises"]


def test_a_transaction_that_ended_late_is_of_a_later_batch() -> None:
    first = Batch(number=4, first_xid=100, end_xid=200, open_xids=[150])
    second = Batch(number=5, first_xid=200, end_xid=300, open_xids=[150, 250])
    batches = Batches([first, second])
    assert [batches.of(xid) for xid in (100, 199, 200, 299)] == [4, 4, 5, 5]
    assert [batches.of(xid) for xid in (150, 250, 300)] == [None, None, None]
    assert batches.of(7) == 4  # a late one of before
    assert Batches([]).of(7) is None


@pytest.mark.parametrize("most", [spans.MOST_KEPT, 1])
def test_what_is_read_once_for_all_tables_is_what_each_reads_itself(
    own_database: Database, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """Of a long journal the batches are not kept: each table reads them where it needs them."""
    monkeypatch.setattr(spans, "MOST_KEPT", most)
    for _ in range(3):
        factories.premises()
        seal_all()
    with transaction.atomic(), rows.ready():
        (alone,), (together,) = stretches(PREMISES), stretches(PREMISES, WHOLE.read())
        places = [_proved(stretch) for stretch in (alone, together)]
    assert places[0] == places[1] and len(places[0]) == 3
    assert (together.batches is None) == (most == 1)
    assert dataclasses.replace(together, batches=None) == dataclasses.replace(alone, batches=None)
    assert verify().findings == []


@pytest.mark.parametrize("most", [spans.MOST_SORTED, 1])
def test_every_entry_is_in_one_stretch(
    own_database: Database, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(spans, "MOST_SORTED", most)
    with psycopg.connect(own_database.app_url) as late:
        late.execute("SELECT set_config('core.act', 'command:late', false), pg_current_xact_id()")
        places = []
        for _ in range(3):
            places.append(factories.premises().pk)
            seal_all()
        late.execute(
            "INSERT INTO proofs_receiver (address, delivered_sequence, failures, last_error)"
            " VALUES ('/late', 0, 0, '')"
        )
    seal_all()
    with transaction.atomic(), rows.ready():
        entries = list(stretches(PREMISES))
        sealed = [row for stretch in entries for row in _proved(stretch)]
    assert sealed == places
    assert len(entries) == (Batch.objects.count() if most == 1 else len(entries))
    assert entries[0].first_batch == 1
    assert entries[-1].last_batch == Batch.objects.count()
    assert [each.span.first for each in entries[1:]] == [each.span.end for each in entries[:-1]]
    assert verify().findings == []


def test_a_part_ends_where_its_last_transaction_is_sealed(own_database: Database) -> None:
    """One that was in progress while batches were sealed is in a later batch.

    An older one, of another database perhaps, goes on all the time, and makes the part no longer.
    """
    factories.premises()
    before = Act.objects.order_by("-xid")[0].xid
    seal_all()
    with _begun(own_database) as (_, older), _begun(own_database) as (late, xid):
        assert older < xid
        factories.premises()
        seal_all()
        passed = last_batch()
        part = part_that_sealed(xid, xid)
        assert part.since is not None and passed is not None
        assert (part.since.end_xid <= xid < passed.end_xid, part.until) == (True, None)
        late.execute(
            "INSERT INTO proofs_receiver (address, delivered_sequence, failures, last_error)"
            " VALUES ('/late', 0, 0, '')"
        )
        late.commit()
        seal_all()
        sealing = last_batch()
        factories.premises()
        seal_all()
        part = part_that_sealed(xid, xid)
        assert sealing is not None and part.until == sealing != passed
        with transaction.atomic(), rows.ready():
            receivers = list(stretches(TABLES["proofs_receiver"], part))
            assert sum(each.last_batch == sealing.number for each in receivers) == 1
    part = part_that_sealed(before, before)
    assert part.until is not None and part.until.number < sealing.number


@contextmanager
def _begun(database: Database) -> Iterator[tuple[psycopg.Connection, int]]:
    """Yield a session whose transaction has begun, and the number of that."""
    with psycopg.connect(database.app_url) as session:
        session.execute("SELECT set_config('core.act', 'command:late', false)")
        row = session.execute("SELECT pg_current_xact_id()::text::bigint").fetchone()
        assert row is not None
        yield session, row[0]


def _proved(stretch: Stretch) -> list[int]:
    """Return the rows of a stretch, which give the entries of its blocks again."""
    left = Left()
    assert list(sealed_entries(PREMISES, stretch, left)) == []
    read = list(rows.entries(PREMISES, stretch.form.columns, stretch.span))
    assert list(left.others(in_order(read, stretch), stretch)) == []
    assert list(left.named(PREMISES, stretch.form, ())) == list(left.differing()) == []
    return [entry.row for entry in read]


def test_a_table_whose_first_row_is_sealed_meanwhile_is_verified(own_database: Database) -> None:
    """A batch is sealed by another connection between the two statements that read the forms."""
    factories.premises()
    seal_all()
    receivers = TABLES["proofs_receiver"]
    begun = False

    def seal_meanwhile(
        execute: Callable[..., object], sql: str, params: object, many: bool, context: object
    ) -> object:
        nonlocal begun
        result = execute(sql, params, many, context)
        if not begun and 'FROM "journal_rowform"' in sql:
            begun = True
            with ThreadPoolExecutor(1) as other:
                other.submit(_write_and_seal, own_database.app_url).result()
        return result

    with transaction.atomic(), rows.ready(), connection.execute_wrapper(seal_meanwhile):
        stretch = list(stretches(receivers))[-1]
    assert begun
    assert stretch.form.columns == RowForm.objects.get(relation=receivers.name).columns
    assert verify().findings == []


def _write_and_seal(url: str) -> None:
    with psycopg.connect(url) as session:
        session.execute("SELECT set_config('core.act', 'command:meanwhile', true)")
        session.execute(
            "INSERT INTO proofs_receiver (address, delivered_sequence, failures, last_error)"
            " VALUES ('/meanwhile', 0, 0, '')"
        )
    try:
        seal_all()
    finally:
        connection.close()
