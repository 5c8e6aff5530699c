"""Compare the server's clock with references, and keep the state that sales ask for."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from core.database import clock
from core.database.locks import Lock, session_hold
from core.database.models import ClockWatch
from core.staff.powers import Role
from core.timekeeping import guard, references
from core.timekeeping.metrics import source
from core.timekeeping.models import Incident, Reading
from core.timekeeping.references import Sample
from tests.support import factories
from tests.support.admin_desk import Desk, list_url, row_url
from tests.support.databases import Database
from tests.support.factories.clocks import server_clock_off, watched

pytestmark = pytest.mark.usefixtures("machine_clock")


def sample(kind: str, off_s: float = 0) -> Sample:
    right = references.machine()
    return Sample(kind, "a", right.ahead_of_monotonic_s + off_s, 0.0, right.taken_s)


def test_a_difference_is_the_clock_less_the_reference() -> None:
    ahead, behind = guard.compare([sample("ntp", -7), sample("machine", 7)])
    assert abs(ahead.ahead_us - 7_000_000) < 500_000 + ahead.uncertainty_us
    assert abs(behind.ahead_us + 7_000_000) < 500_000 + behind.uncertainty_us
    assert (ahead.own_machine, behind.own_machine) == (False, True)


def test_readings_are_kept_once_for_each_reference() -> None:
    guard.write(guard.compare([sample("ntp"), sample("machine")]))
    first = Reading.objects.get(kind="ntp").measured_at
    guard.write(guard.compare([sample("ntp", -60)]))
    assert Reading.objects.count() == 2
    assert Reading.objects.get(kind="ntp").measured_at == first  # another had just written it
    Reading.objects.update(measured_at=first - timedelta(seconds=1))
    guard.write(guard.compare([sample("ntp", -60)]))
    assert Reading.objects.get(kind="ntp").ahead_us > 50_000_000


def test_a_sound_clock_is_followed(own_database: Database) -> None:
    assert not clock.is_unsound()
    watched()
    watch = ClockWatch.objects.get()
    assert watch.newest_at == watch.watched_at
    assert (watch.unsound, clock.known_lag()) == (False, timedelta())
    assert not Incident.objects.exists()
    with pytest.raises(IntegrityError), transaction.atomic():
        ClockWatch.objects.create(newest_at=watch.newest_at, watched_at=watch.watched_at)


def test_one_process_judges_at_a_time(own_database: Database) -> None:
    from threading import Thread

    from django.db import connection

    def other() -> None:
        watched()
        connection.close()

    with session_hold(Lock.CLOCK, 1) as held:
        assert held
        thread = Thread(target=other)
        thread.start()
        thread.join()
        assert not ClockWatch.objects.exists()
        assert Reading.objects.count() == 2


def test_the_first_comparison_after_a_while_asks_the_journal(own_database: Database) -> None:
    """The processes were down when the clock was set back: acts on record are newer than it."""
    factories.premises()
    with server_clock_off(-timedelta(minutes=5)):
        watched([])
        incident = Incident.objects.get()
        assert incident.cause == "behind_record"
        assert 290 < -incident.ahead_us / 1e6 <= 300
        assert timedelta(minutes=4) < clock.known_lag() <= timedelta(minutes=5)
        assert clock.is_unsound()
    watched([])
    assert not clock.is_unsound()
    assert clock.known_lag() == timedelta()


def test_nothing_is_sold_on_a_promoted_machine_until_its_clock_was_compared(
    own_database: Database,
) -> None:
    watched()
    assert not clock.is_unsound()
    factories.premises()  # the newest act, which no comparison has seen
    ClockWatch.objects.update(timeline="0000ABCD")  # the old primary's: this one was promoted
    assert clock.is_unsound()
    with server_clock_off(-timedelta(minutes=1)):
        watched([])  # though another process compared it less than a second ago
        assert clock.is_unsound()
        assert Incident.objects.get().cause == "behind_record"
    watched([])
    assert not clock.is_unsound()


def test_acts_of_a_wrong_clock_do_not_keep_a_right_one_from_selling(own_database: Database) -> None:
    watched()
    with server_clock_off(timedelta(minutes=5)):
        factories.premises()
        watched()
        factories.premises()
        assert clock.is_unsound()
    watched()
    assert not clock.is_unsound()
    factories.premises()
    ClockWatch.objects.update(watched_at=clock.now() - timedelta(seconds=5))
    watched()
    assert not clock.is_unsound()
    assert Incident.objects.get().ended_at is not None


def test_the_differences_are_in_metrics_and_administration(own_database: Database) -> None:
    with server_clock_off(timedelta(minutes=5)):
        watched()
        values = {
            "/".join((sample.name, *sample.labels.values())): sample.value
            for metric in source()
            for sample in metric.samples
        }
        assert values["clock_unsound"] == 1
        assert 299 < values["clock_ahead_seconds/receiver/test"] < 301
        assert values["clock_watched_seconds"] < 60
        desk = Desk(Role.ADMINISTRATOR)
        assert "+300.0" in desk.get(list_url(Reading)) or "+299.9" in desk.get(list_url(Reading))
        page = desk.get(row_url(Incident.objects.get()))
        assert "Differs from its references" in page
        assert Desk(Role.CASHIER).client.get(list_url(Incident)).status_code == 403
