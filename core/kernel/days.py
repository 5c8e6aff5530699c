"""Compute with natural days: the days of the civil calendar in Europe/Madrid.

The regulation counts periods in days, never in hours. When the clocks change, a day has 23 or 25
hours and still counts as one day.
"""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from core.kernel.errors import Invalid

MADRID = ZoneInfo("Europe/Madrid")
_ONE_DAY = timedelta(days=1)


class NaiveInstant(Invalid):
    """A datetime without time zone does not name an instant."""

    code = "naive_instant"
    message = "A time needs its zone or offset."


class DayOutOfRange(Invalid):
    """The calendar does not have this day."""

    code = "day_out_of_range"
    message = "The day is outside the calendar."


def natural_day(instant: datetime) -> date:
    """Return the natural day of an instant. Raises NaiveInstant, DayOutOfRange."""
    if instant.utcoffset() is None:
        raise NaiveInstant
    try:
        return instant.astimezone(MADRID).date()
    except OverflowError as error:
        raise DayOutOfRange from error


def day_bounds(day: date) -> tuple[datetime, datetime]:
    """Return the first instant of the day and of the next day, in UTC: `start <= x < end`.

    Raises DayOutOfRange.
    """
    return _midnight(day), _midnight(add_days(day, 1))


def noon(day: date) -> datetime:
    """Return 12:00 of the day in Europe/Madrid, in UTC. Raises DayOutOfRange."""
    return _at(day, time(12))


def morning_after(day: date, hour: time) -> datetime:
    """Return the instant, in UTC, at which clocks show `hour` on the day after `day`.

    In the night in which the clocks change, an hour that comes twice is the second one, and an hour
    that is left out is one hour later on the clock. Raises DayOutOfRange.
    """
    try:
        local = datetime.combine(add_days(day, 1), hour, MADRID)
        return max(local.replace(fold=fold).astimezone(UTC) for fold in (0, 1))
    except OverflowError as error:
        raise DayOutOfRange from error


def instants_of(local: datetime) -> tuple[datetime, ...]:
    """Return the instants, in UTC, at which clocks show a time: two of the hour that comes twice,
    none of the one that is left out. `local` has no zone.
    """
    instants = {local.replace(tzinfo=MADRID, fold=fold).astimezone(UTC) for fold in (0, 1)}
    return tuple(sorted(i for i in instants if i.astimezone(MADRID).replace(tzinfo=None) == local))


def add_days(day: date, days: int) -> date:
    """Return the day `days` later, or earlier if negative. Raises DayOutOfRange."""
    try:
        return day + _ONE_DAY * days
    except OverflowError as error:
        raise DayOutOfRange from error


def _midnight(day: date) -> datetime:
    return _at(day, time.min)


def _at(day: date, clock: time) -> datetime:
    try:
        return datetime.combine(day, clock, MADRID).astimezone(UTC)
    except OverflowError as error:
        raise DayOutOfRange from error
