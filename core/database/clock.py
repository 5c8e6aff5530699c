"""One clock, the database's, plus any simulated offset (rulebook: Clock)."""

import datetime

from django.conf import settings
from django.db import connection, transaction

from core.database.locks import Lock, hold
from core.database.models import ClockOffset
from core.kernel.errors import Forbidden, Invalid


class SimulatedTimeRefused(Forbidden):
    code = "simulated_time_refused"
    message = "This system runs on real time."


class ClockBackwards(Invalid):
    code = "clock_backwards"
    message = "Simulated time only moves forward."


def now() -> datetime.datetime:
    """The instant, aware, to the microsecond; it moves within a transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT core_now()")
        instant: datetime.datetime = cursor.fetchone()[0]
    return instant


def offset() -> datetime.timedelta:
    """The simulated offset in force; zero on real time."""
    newest = ClockOffset.objects.order_by("-id").first()
    return newest.offset if newest else datetime.timedelta()


def is_simulated() -> bool:
    return ClockOffset.objects.exists()


@transaction.atomic
def move_to(instant: datetime.datetime, *, reason: str) -> datetime.timedelta:
    """Move simulated time forward to `instant`; the new offset.

    Raises SimulatedTimeRefused unless the settings allow it, ClockBackwards for an instant past.
    """
    if not settings.SIMULATED_TIME:
        raise SimulatedTimeRefused
    hold((Lock.CLOCK, 0))
    with connection.cursor() as cursor:
        cursor.execute("SELECT core_now(), clock_timestamp()")
        present, real = cursor.fetchone()
    if instant < present:
        raise ClockBackwards(now=present.isoformat())
    return ClockOffset.objects.create(offset=instant - real, reason=reason).offset
