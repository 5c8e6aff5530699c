from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.kernel.days import (
    DayOutOfRange,
    NaiveInstant,
    add_days,
    day_bounds,
    instants_of,
    natural_day,
)

DAYS = st.dates(date(1990, 1, 1), date(2090, 1, 1))


@given(DAYS)
def test_a_day_is_its_bounds(day: date) -> None:
    start, end = day_bounds(day)
    tick = timedelta(microseconds=1)
    assert natural_day(start) == natural_day(end - tick) == day
    assert natural_day(start - tick) == add_days(day, -1)
    assert natural_day(end) == add_days(day, 1)
    assert day_bounds(add_days(day, 1))[0] == end


@pytest.mark.article("14.III.10.2")
@pytest.mark.parametrize(
    ("day", "hours"),
    [(date(2024, 3, 31), 23), (date(2024, 10, 27), 25), (date(2024, 2, 29), 24)],
)
def test_days_are_not_hours(day: date, hours: int) -> None:
    start, end = day_bounds(day)
    assert end - start == timedelta(hours=hours)


@pytest.mark.parametrize(
    ("instant", "day"),
    [
        (datetime(2024, 12, 31, 22, 59, 59, tzinfo=UTC), date(2024, 12, 31)),
        (datetime(2024, 12, 31, 23, 0, tzinfo=UTC), date(2025, 1, 1)),
        (datetime(2024, 7, 1, 21, 59, 59, tzinfo=UTC), date(2024, 7, 1)),
        (datetime(2024, 7, 1, 22, 0, tzinfo=UTC), date(2024, 7, 2)),
    ],
)
def test_midnight_is_madrids(instant: datetime, day: date) -> None:
    assert natural_day(instant) == day


def test_a_time_without_zone_is_no_instant() -> None:
    with pytest.raises(NaiveInstant):
        natural_day(datetime(2024, 1, 1))


@pytest.mark.parametrize("days", [10**6 * 4, 10**30, -(10**30)])
def test_the_calendar_ends(days: int) -> None:
    with pytest.raises(DayOutOfRange):
        add_days(date(2024, 1, 1), days)


def test_the_bounds_of_the_last_day_are_out_of_it() -> None:
    with pytest.raises(DayOutOfRange):
        day_bounds(date.max)
    with pytest.raises(DayOutOfRange):
        natural_day(datetime.min.replace(tzinfo=UTC))


@pytest.mark.parametrize(
    ("local", "utc_hours"),
    [
        (datetime(2030, 10, 27, 1, 59, 59), [23]),
        (datetime(2030, 10, 27, 2), [0, 1]),
        (datetime(2030, 10, 27, 2, 59, 59), [0, 1]),
        (datetime(2030, 10, 27, 3), [2]),
        (datetime(2030, 3, 31, 1, 59), [0]),
        (datetime(2030, 3, 31, 2, 30), []),
        (datetime(2030, 3, 31, 3), [1]),
    ],
)
def test_clocks_show_a_time_once_twice_or_never(local: datetime, utc_hours: list[int]) -> None:
    assert [instant.hour for instant in instants_of(local)] == utc_hours
