"""One clock, the database's; simulated time is an offset of it that only grows."""

import time
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from core.database import clock
from core.database.clock import ClockBackwards, SimulatedTimeRefused
from core.database.locks import Lock, LocksOutOfPlace, hold
from core.database.models import ClockOffset
from tests.support.concurrency.sales import together
from tests.support.databases import Database

LATER = timedelta(hours=3)


def test_real_time_is_the_databases_and_moves_within_a_transaction(db: None) -> None:
    first = clock.now()
    assert first.tzinfo is not None
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp(), now()")
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
