"""Raise alarms while nobody, or too few, say what time it is."""

from datetime import timedelta

from core.database import clock
from core.database.models import ClockWatch
from core.timekeeping import guard
from core.timekeeping.alarms import references_few, unsound, unwatched
from core.timekeeping.models import Reading
from tests.support.databases import Database
from tests.support.factories.clocks import server_clock_off, watched


def test_silence_is_an_alarm_and_ends_no_incident(own_database: Database) -> None:
    assert references_few() == unwatched() == []
    watched()
    assert references_few() == unwatched() == []
    with server_clock_off(timedelta(minutes=5)):
        watched()
        Reading.objects.all().update(measured_at=clock.now() - timedelta(days=1))
        ClockWatch.objects.update(watched_at=clock.now() - timedelta(minutes=2))
        assert len(unwatched()) == 1
        guard.decide()
        assert len(unsound()) == 1
        assert clock.is_unsound()
        (row,) = references_few()
        assert ": 0 " in str(row.words)
