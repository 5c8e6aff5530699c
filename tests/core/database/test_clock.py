"""Check the database's clock, and its simulated offset, which only grows."""

import datetime
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from unittest import mock

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.http import HttpResponse

from core.api import middleware
from core.database import clock
from core.database.clock import ClockBackwards, SimulatedTimeRefused
from core.database.locks import Lock, LocksOutOfPlace, hold
from core.database.models import ClockOffset
from tests.support.concurrency.sales import together
from tests.support.databases import Database

LATER = timedelta(hours=3)
NOON = datetime.datetime(2030, 4, 1, 12, tzinfo=datetime.UTC)


def test_real_time_is_the_databases_and_moves_within_a_transaction(db: None) -> None:
    first = clock.now()
    assert first.tzinfo is not None
    with connection.cursor() as cursor:
        cursor.execute("SELECT core_server_clock(), now()")
        real, of_transaction = cursor.fetchone()
    assert abs(real - first) < timedelta(seconds=5)
    time.sleep(0.002)
    assert clock.now() > first > of_transaction
    assert not clock.is_simulated()
    assert clock.offset() == timedelta()


def test_without_leave_of_the_settings_time_is_real(db: None, settings: Any) -> None:
    settings.SIMULATED_TIME = False
    with pytest.raises(SimulatedTimeRefused):
        clock.move_to(clock.now() + LATER, reason="test")
    assert not ClockOffset.objects.exists()


def test_simulated_time_moves_forward_only(db: None, settings: Any) -> None:
    settings.SIMULATED_TIME = True
    start = clock.now()
    clock.move_to(start + LATER, reason="test")
    assert clock.is_simulated()
    assert start + LATER <= clock.now() < start + LATER + timedelta(minutes=5)
    with pytest.raises(ClockBackwards):
        clock.move_to(start + LATER - timedelta(seconds=1), reason="test")
    clock.move_to(start + 2 * LATER, reason="test")
    assert clock.now() >= start + 2 * LATER
    assert ClockOffset.objects.count() == 2


def test_a_move_of_the_clock_has_its_reason(db: None, settings: Any) -> None:
    settings.SIMULATED_TIME = True
    with pytest.raises(IntegrityError, match="clock_offset_has_reason"), transaction.atomic():
        clock.move_to(clock.now() + LATER, reason="")


def test_moves_at_once_leave_time_at_the_furthest(own_database: Database, settings: Any) -> None:
    settings.SIMULATED_TIME = True
    start = clock.now()
    goals = [start + timedelta(hours=hours) for hours in (1, 8, 2, 7, 3, 6)]
    together(*[lambda goal=goal: clock.move_to(goal, reason="test") for goal in goals])
    assert clock.now() >= max(goals)
    offsets = list(ClockOffset.objects.order_by("id").values_list("offset", flat=True))
    assert offsets == sorted(offsets)


def test_locks_belong_to_a_transaction(own_database: Database) -> None:
    with pytest.raises(LocksOutOfPlace):
        hold((Lock.CLOCK, 0))


def test_locks_are_taken_in_their_order_and_go_with_the_transaction(own_database: Database) -> None:
    held = (
        "SELECT classid, objid, mode FROM pg_locks WHERE locktype = 'advisory'"
        " AND pid = pg_backend_pid() ORDER BY 1"
    )
    with transaction.atomic(), connection.cursor() as cursor:
        hold((Lock.TICKET, 2**40 + 5), (Lock.MEETING, 9))
        hold((Lock.SALES, 0), shared=True)
        cursor.execute(held)
        assert cursor.fetchall() == [
            (Lock.MEETING, 9, "ExclusiveLock"),
            (Lock.SALES, 0, "ShareLock"),
            (Lock.TICKET, 5, "ExclusiveLock"),
        ]
    with connection.cursor() as cursor:
        cursor.execute(held)
        assert cursor.fetchall() == []


class TestRecent:
    """Only one thread asks the database for the time; the others continue from the last answer."""

    @pytest.fixture(autouse=True)
    def _forgotten(self) -> Iterator[None]:
        clock.forget_recent()
        yield
        clock.forget_recent()

    @staticmethod
    def stamped() -> HttpResponse:
        response = HttpResponse()
        middleware.stamp_time(response)
        return response

    def test_one_asks_and_nobody_waits_for_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        nothing = datetime.timedelta()
        monkeypatch.setattr(clock, "_ask", lambda at_s: clock.Recent(at_s - 9, NOON, nothing))
        self.stamped()
        meanwhile: list[str] = []

        def ask(at_s: float) -> clock.Recent:
            meanwhile.append(self.stamped()[middleware.TIME_HEADER])  # as another thread would
            return clock.Recent(at_s, NOON, nothing)

        monkeypatch.setattr(clock, "_ask", ask)
        assert self.stamped()[middleware.TIME_HEADER].startswith("2030-04-01T12:00:00")
        assert [each[:19] for each in meanwhile] == ["2030-04-01T12:00:09"]

    def test_without_a_database_there_is_no_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        nothing = datetime.timedelta()
        monkeypatch.setattr(clock, "_ask", lambda at_s: clock.Recent(at_s - 9, NOON, nothing))
        self.stamped()
        monkeypatch.setattr(clock, "_ask", mock.Mock(side_effect=DatabaseError))
        for _ in range(2):
            assert middleware.TIME_HEADER not in self.stamped()

    def test_an_offset_is_said(self, monkeypatch: pytest.MonkeyPatch) -> None:
        hour = datetime.timedelta(hours=1)
        monkeypatch.setattr(clock, "_ask", lambda at_s: clock.Recent(at_s, NOON, hour))
        assert self.stamped()[middleware.SIMULATED_HEADER] == "+P0DT01H00M00S"
