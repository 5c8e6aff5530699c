"""Tell the time by one clock: the database's, plus the simulated offset (rulebook: Clock).

Rules and records use `now()`. `recent()` is for showing the time: it seldom makes a query.
"""

import datetime
import secrets
import time
import uuid
from typing import NamedTuple

from django.conf import settings
from django.db import DatabaseError, transaction

from core.database.locks import Lock, hold
from core.database.models import ClockOffset
from core.database.reading.asking import fetch_row, fetch_value
from core.database.reading.once import once
from core.database.reading.standby import primary
from core.kernel.errors import Conflict, Forbidden, Invalid
from core.kernel.request_uuids import RANDOM_BITS, request_uuid

_KEPT_S = 1.0


class SimulatedTimeRefused(Forbidden):
    code = "simulated_time_refused"
    message = "This system runs on real time."


class ClockBackwards(Invalid):
    code = "clock_backwards"
    message = "Simulated time only moves forward."


class ClockUnsound(Conflict):
    code = "clock_unsound"
    message = "The system's clock is not right just now; sales wait until it is."
    transient = True


@once
def now() -> datetime.datetime:
    """Return the instant, aware, to the microsecond. It moves within a transaction, and stands
    within `one_reading`.

    It is the primary's, also for who reads a standby.
    """
    with primary().cursor() as cursor:
        cursor.execute("SELECT core_now()")
        instant: datetime.datetime = cursor.fetchone()[0]
    return instant


def row_uuid(at: datetime.datetime) -> uuid.UUID:
    """Return the UUID of a row that this system makes at an instant: of version 7, so that the
    newest rows come last in an index.
    """
    return request_uuid(at, secrets.randbits(RANDOM_BITS))


@once
def offset() -> datetime.timedelta:
    """Return the simulated offset in force; zero on real time."""
    newest = ClockOffset.objects.order_by("-id").first()
    return newest.offset if newest else datetime.timedelta()


def real_age(instant: datetime.datetime) -> datetime.timedelta:
    """Return how long ago an instant was by the server's clock: without what simulated time was
    moved since. For waits of machines, which do not run faster when that time is moved.
    """
    moved = offset()
    if moved:  # on real time it never was
        then = ClockOffset.objects.filter(set_at__lte=instant).order_by("-id").first()
        moved -= then.offset if then else datetime.timedelta()
    return now() - instant - moved


def is_simulated() -> bool:
    """Return whether the clock has ever been moved."""
    return ClockOffset.objects.exists()


def is_unsound() -> bool:
    """Return whether the clock cannot be trusted now, so that nothing is sold."""
    return bool(fetch_value("SELECT unsound FROM core_clock_unsound()"))


def need_sound() -> None:
    """Raise ClockUnsound if the clock cannot be trusted now."""
    if is_unsound():
        raise ClockUnsound


def known_lag() -> datetime.timedelta:
    """Return how far the clock is known to be behind the real time; zero if it is sound.

    A start that is reported meanwhile may be that much later than the clock.
    """
    row = fetch_row(
        "SELECT extract(epoch FROM greatest(CASE WHEN unsound THEN behind END,"
        " newest_at - core_server_clock(), interval '0')) FROM database_clockwatch"
    )
    return datetime.timedelta(seconds=float(row[0]) if row else 0)


class Recent(NamedTuple):
    """An answer of the database: the monotonic time of asking in seconds, the instant and the
    offset.
    """

    asked_s: float
    instant: datetime.datetime
    offset: datetime.timedelta


class _Process:
    """The newest answer that this process has. It is replaced and never changed, so that threads
    need no lock.
    """

    latest: Recent | None = None


def recent() -> tuple[datetime.datetime, datetime.timedelta]:
    """Return the instant and the simulated offset in force.

    The database is asked once a second; in between, the process's monotonic clock continues from
    its answer. Raises DatabaseError.
    """
    monotonic_s = time.monotonic()
    latest = _Process.latest
    if latest is None or monotonic_s - latest.asked_s >= _KEPT_S:
        if latest is not None:  # the other threads use the last answer meanwhile
            passed = datetime.timedelta(seconds=monotonic_s - latest.asked_s)
            _Process.latest = Recent(monotonic_s, latest.instant + passed, latest.offset)
        try:
            _Process.latest = latest = _ask(monotonic_s)
        except DatabaseError:
            forget_recent()
            raise
    return (
        latest.instant + datetime.timedelta(seconds=monotonic_s - latest.asked_s),
        latest.offset,
    )


def forget_recent() -> None:
    """Ask the database at the next `recent()`, because the clock was moved."""
    _Process.latest = None


def _ask(monotonic_s: float) -> Recent:
    with primary().cursor() as cursor:
        cursor.execute(
            "SELECT core_now(),"
            ' (SELECT "offset" FROM database_clockoffset ORDER BY id DESC LIMIT 1)'
        )
        instant, in_force = cursor.fetchone()
    return Recent(monotonic_s, instant, in_force or datetime.timedelta())


@transaction.atomic
def move_to(instant: datetime.datetime, *, reason: str) -> datetime.timedelta:
    """Move simulated time forward to `instant`, and return the new offset.

    Raises SimulatedTimeRefused unless the settings allow it, ClockBackwards for an earlier instant.
    """
    if not settings.SIMULATED_TIME:
        raise SimulatedTimeRefused
    hold((Lock.CLOCK, 0))
    present, real = fetch_row("SELECT core_now(), core_server_clock()")
    if instant < present:
        raise ClockBackwards(now=present.isoformat())
    moved = ClockOffset.objects.create(offset=instant - real, set_at=instant, reason=reason).offset
    forget_recent()
    transaction.on_commit(forget_recent)  # another thread may have asked before the commit
    return moved
