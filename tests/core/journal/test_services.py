"""Seal batches while other transactions are in progress: every ended act is sealed once."""

import threading

import psycopg
from django.db import connection, connections

from core.journal.models import Batch, Block
from core.journal.services import batch_seal, batches_due
from core.journal.verifying import verify
from core.premises.models import Premises
from tests.support import factories
from tests.support.concurrency.sales import eventually
from tests.support.databases import Database
from tests.support.journaling import seal_all


def sealed() -> Batch:
    """Return the next batch, once no transaction in another database of the server is older."""
    eventually(lambda: bool(batches_due()))
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


def test_whoever_commits_late_is_in_a_later_batch(own_database: Database) -> None:
    """A transaction in progress delays itself and everything that started after it; nothing is
    lost.
    """
    factories.premises()
    seal_all()
    with psycopg.connect(own_database.app_url) as slow:
        slow.execute("SELECT set_config('core.act', 'slow', false)")
        slow.execute(
            'INSERT INTO database_clockoffset ("offset", set_at, reason)'
            " VALUES ('0', core_now(), 'slow')"
        )
        quick = factories.premises()
        batch_seal()
        assert not _entries(quick)
        slow.commit()
    seal_all()
    assert _entries(quick)
    assert verify().findings == []
    total = sum(Batch.objects.values_list("entries", flat=True))
    assert total == sum(Block.objects.values_list("rows", flat=True))


def _entries(of: Premises) -> bool:
    """Return whether the row is in a sealed batch."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT journal_xid FROM premises_premises WHERE id = %s", [of.pk])
        (xid,) = cursor.fetchone()
    return Batch.objects.latest("number").end_xid > xid


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
