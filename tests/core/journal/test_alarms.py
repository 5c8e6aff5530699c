"""Raise alarms while history is not sealed, and drop them when it is."""

from datetime import timedelta
from unittest import mock

from core.journal import alarms
from core.journal.services import batch_seal, checkpoint_publish
from tests.support import factories
from tests.support.databases import Database


def test_what_is_long_unsealed_is_an_alarm_until_it_is_sealed(own_database: Database) -> None:
    factories.premises()
    assert alarms.unsealed() == []
    with mock.patch.object(alarms, "UNSEALED_AFTER", timedelta()):
        (row,) = alarms.unsealed()
        assert row.since == row.subject.at
        batch = batch_seal()
        assert batch is not None
        assert [row.subject for row in alarms.unsealed()] != [row]
        with mock.patch.object(alarms, "CHECKPOINT_LATE", timedelta()):
            assert [row.subject for row in alarms.checkpoint_late()] == [batch]
            checkpoint_publish(number=batch.number)
            assert alarms.checkpoint_late() == []
    assert alarms.checkpoint_late() == []


def test_simulated_time_makes_nothing_late(own_database: Database) -> None:
    factories.premises()
    factories.time_pass(days=3)
    assert alarms.unsealed() == []
