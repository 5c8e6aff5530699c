"""Seal batches while other transactions are in progress: every ended act is sealed once."""

from core.journal.models import Batch
from core.journal.services import batch_seal, batches_due
from core.journal.verifying import verify
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
