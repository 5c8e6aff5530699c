"""Batches: everything that ended, once, whatever else is under way."""

from core.journal.services import batch_seal, batches_due
from core.journal.verifying import verify
from tests import factories
from tests.databases import Database


def test_what_ended_is_sealed_once_and_verifies(own_database: Database) -> None:
    assert batches_due() == []
    place = factories.point()
    assert batches_due() == [1]
    first = batch_seal()
    assert first is not None and first.number == 1 and first.entries > 0
    contest = factories.contest()
    factories.acknowledge(contest, place)
    assert batches_due() == [2]
    second = batch_seal()
    assert second is not None
    assert bytes(second.previous) == bytes(first.digest)
    assert verify().findings == []
    assert batch_seal() is None
    assert batches_due() == []
