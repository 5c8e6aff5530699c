"""Natural days: the days of the civil calendar in Europe/Madrid.

Periods of the regulation are counted in these days, never in hours: a day lasts 23 or 25 hours
when the clocks change, and is one day all the same.
"""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from core.kernel.errors import Invalid

MADRID = ZoneInfo("Europe/Madrid")
_ONE_DAY = timedelta(days=1)


class NaiveInstant(Invalid):
    """A time without its zone: it names no instant."""

    code = "naive_instant"
    message = "A time needs its zone or offset."


class DayOutOfRange(Invalid):
    """A day the calendar cannot hold."""

    code = "day_out_of_range"
    message = "The day is outside the calendar."


def natural_day(instant: datetime) -> date:
    """The natural day on which an instant falls. Raises NaiveInstant, DayOutOfRange."""
    if instant.utcoffset() is None:
        raise NaiveInstant
    try:
        return instant.astimezone(MADRID).date()
    except OverflowError as error:
        raise DayOutOfRange from error


def day_bounds(day: date) -> tuple[datetime, datetime]:
    """First instant of the day and first instant of the next, both in UTC: `start <= x < end`.

    Raises DayOutOfRange.
    """
    return _midnight(day), _midnight(add_days(day, 1))


def add_days(day: date, days: int) -> date:
    """The day so many days later (earlier when negative). Raises DayOutOfRange."""
    try:
        return day + _ONE_DAY * days
    except OverflowError as error:
        raise DayOutOfRange from error


def _midnight(day: date) -> datetime:
    try:
        return datetime.combine(day, time.min, MADRID).astimezone(UTC)
    except OverflowError as error:
        raise DayOutOfRange from error
