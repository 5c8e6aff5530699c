"""Raise alarms while nobody, or too few, say what time it is."""

from datetime import timedelta

from core.database import clock
from core.database.models import ClockWatch
from core.timekeeping import guard, references
from core.timekeeping.alarms import differs, references_few, unsound, unwatched
from core.timekeeping.models import Reading
from core.timekeeping.references import Sample
from tests.support.databases import Database
from tests.support.factories.clocks import server_clock_off, watched


def test_silence_is_an_alarm_and_ends_no_incident(own_database: Database) -> None:
    assert references_few() == unwatched() == []
    watched(("ntp", "receiver"))
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


def test_one_machine_with_one_reference_is_told_that_its_clock_is_an_hour_off(
    own_database: Database, machine_clock: None
) -> None:
    """Everything is on that machine: contests closed an hour late, and no alarm stood."""
    right = references.machine()
    other_s = right.ahead_of_monotonic_s + 3600
    receiver = Sample("receiver", "https://log.example", other_s, 0.0, right.taken_s)
    guard.beat([right, receiver])
    assert not clock.is_unsound()
    (few,) = references_few()
    assert ": 1 " in str(few.words)
    (row,) = differs()
    assert ": -3600." in str(row.words)
    guard.write(guard.compare([right, receiver]))
    Reading.objects.filter(kind="receiver").update(ahead_us=0)
    assert differs() == []


def test_no_alarm_says_that_sales_go_on_while_they_have_stopped(own_database: Database) -> None:
    """The other kinds fell silent in an incident: one was left that differs, and nobody sold."""
    with server_clock_off(timedelta(minutes=5)):
        watched()
        assert clock.is_unsound()
        silent = Reading.objects.exclude(kind="receiver")
        silent.update(measured_at=clock.now() - timedelta(days=1))
        assert Reading.objects.get(kind="receiver").ahead_us
        assert len(unsound()) == 1
        assert differs() == []
