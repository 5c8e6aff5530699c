"""Seal batches while other transactions are in progress: every ended act is sealed once."""

import threading

import psycopg
import pytest
from django.db import connection, connections

from core.journal.models import Act, Batch, Block
from core.journal.services import batch_seal, batches_due
from core.journal.verifying import verify
from core.premises.models import Premises
from tests.support import factories
from tests.support.databases import Database
from tests.support.journaling import as_owner, execute, seal_all, touched


def sealed() -> Batch:
    assert batches_due()
    made = batch_seal()
    assert made is not None
    return made


def test_what_ended_is_sealed_once_and_verifies(own_database: Database) -> None:
    assert batches_due() == []
    place = factories.point()
    first = sealed()
    assert first.number == 1 and first.entries > 0
    contest = factories.contest()
    factories.acknowledge(contest, place)
    seal_all()
    second = Batch.objects.get(number=2)
    assert bytes(second.previous) == bytes(first.digest)
    assert verify().findings == []
    last = Batch.objects.latest("number").number
    assert batches_due() == [] and Batch.objects.count() == last


SLOW = (
    "INSERT INTO proofs_receiver (address, delivered_sequence, failures, last_error)"
    " VALUES ('/slow', 0, 0, '')"
)


@pytest.mark.parametrize("writes_first", [True, False])
def test_an_open_transaction_holds_back_itself_alone(
    own_database: Database, writes_first: bool
) -> None:
    """Whoever leaves a transaction open keeps nobody else's acts from being sealed."""
    factories.premises()
    seal_all()
    with psycopg.connect(own_database.app_url) as slow:
        slow.execute("SELECT set_config('core.act', 'slow', false)")
        row = slow.execute("SELECT pg_current_xact_id()::text::bigint").fetchone()
        assert row is not None
        if writes_first:
            slow.execute(SLOW)
        for _ in range(2):
            quick = factories.premises()
            batch = sealed()
            assert row[0] in batch.open_xids
            assert _covered(batch, quick)
            assert not Act.objects.filter(pk=row[0]).exists()
        assert batches_due() == []
        if not writes_first:
            slow.execute(SLOW)  # its number is older than two batches
        slow.commit()
    late = sealed()
    assert row[0] not in late.open_xids
    assert row[0] < late.first_xid
    assert verify().findings == []
    assert verify(since=1).findings == []
    total = sum(Batch.objects.values_list("entries", flat=True))
    assert total == sum(Block.objects.values_list("rows", flat=True))
    with as_owner(own_database), touched("proofs_receiver"):
        execute("UPDATE proofs_receiver SET address = '/other'")
        assert {each.table for each in verify(since=late.number - 1).findings} == {
            "proofs_receiver"
        }


def _covered(batch: Batch, place: Premises) -> bool:
    """Return whether the row is in the batch."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT journal_xid FROM premises_premises WHERE id = %s", [place.pk])
        (xid,) = cursor.fetchone()
    return bool(batch.first_xid <= xid < batch.end_xid and xid not in batch.open_xids)


def test_sealing_at_once_seals_once(own_database: Database) -> None:
    for _ in range(3):
        factories.premises()

    def seal() -> None:
        try:
            batch_seal()
        finally:
            connections.close_all()

    threads = [threading.Thread(target=seal) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seal_all()
    assert verify().findings == []
