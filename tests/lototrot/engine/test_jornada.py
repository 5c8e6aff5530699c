"""Give each instant the day of its meeting, in nights of 23 and 25 hours too [B15]."""

from datetime import date, datetime, time, timedelta

import pytest

from core.kernel.regulation import MeetingFigures
from lototrot.engine.jornada import Jornada, jornada, meeting_end
from tests.support.lototrot.meeting_by_api import at

FIGURES = MeetingFigures(ends_next_day_at=time(6), early_start_s=600)
FRIDAY = date(2030, 6, 7)
SPRING, AUTUMN = date(2030, 3, 30), date(2030, 10, 26)  # the clocks change in the night after


def of(day: date, stated: time | None = None) -> Jornada:
    return jornada(day, at(day, 17), stated, FIGURES)


@pytest.mark.parametrize(
    ("instant", "inside", "day"),
    [
        (at(FRIDAY, 16, 49, 59), False, FRIDAY),
        (at(FRIDAY, 16, 50), True, FRIDAY),
        (at(FRIDAY, 23, 59, 59), True, FRIDAY),
        (at(FRIDAY, 24), True, FRIDAY),
        (at(FRIDAY, 24 + 5, 59, 59), True, FRIDAY),
        (at(FRIDAY, 24 + 6), False, FRIDAY + timedelta(days=1)),
        (at(FRIDAY, 48), False, FRIDAY + timedelta(days=2)),
        (at(FRIDAY - timedelta(days=3), 12), False, FRIDAY - timedelta(days=3)),
    ],
)
def test_an_instant_is_inside_or_outside_and_of_a_day(
    instant: datetime, inside: bool, day: date
) -> None:
    window = of(FRIDAY)
    assert (window.includes(instant), window.day_of(instant)) == (inside, day)


def test_the_programme_may_state_another_hour() -> None:
    window = of(FRIDAY, time(2, 30))
    assert window.includes(at(FRIDAY, 24 + 2, 29, 59))
    assert not window.includes(at(FRIDAY, 24 + 2, 30))
    assert of(FRIDAY, time(0)).ends_at == at(FRIDAY, 24)


@pytest.mark.parametrize(("day", "hours"), [(SPRING, 12), (FRIDAY, 13), (AUTUMN, 14)])
def test_the_night_may_be_an_hour_shorter_or_longer(day: date, hours: int) -> None:
    window = of(day)
    assert window.ends_at.astimezone(at(day, 0).tzinfo).hour == 6
    assert window.ends_at - at(day, 17) == timedelta(hours=hours)


def test_an_hour_that_comes_twice_ends_the_meeting_the_second_time() -> None:
    end = meeting_end(AUTUMN, time(2, 30), FIGURES)
    assert end - at(AUTUMN, 24) == timedelta(hours=3, minutes=30)


def test_an_hour_that_is_left_out_ends_the_meeting_an_hour_later_on_the_clock() -> None:
    end = meeting_end(SPRING, time(2, 30), FIGURES)
    assert end == at(SPRING, 24 + 3, 30)
