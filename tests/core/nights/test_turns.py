"""Each older period has its turn, one a night, and the oldest again after the newest."""

from datetime import date

import pytest

from core.database import clock
from core.kernel.days import add_days
from core.nights.models import JobRun
from core.nights.turns import PERIOD_DAYS, RECENT_DAYS, Turn, counted, recent, turn_of

SINCE = date(2030, 1, 5)
pytestmark = pytest.mark.django_db


def done(day: date, turn: Turn | None) -> None:
    now = clock.now()
    JobRun.objects.create(
        job="audit", day=day, state="done", started_at=now, ended_at=now, counts=counted(turn)
    )


def test_nothing_older_has_no_turn() -> None:
    assert turn_of("audit", add_days(SINCE, 300), since=None) is None
    assert turn_of("audit", add_days(SINCE, RECENT_DAYS), since=SINCE) is None


def test_every_older_day_has_its_turn_within_as_many_nights_as_there_are_periods() -> None:
    night = add_days(SINCE, RECENT_DAYS + 3 * PERIOD_DAYS - 5)
    days: list[date] = []
    for _ in range(3):
        turn = turn_of("audit", night, since=SINCE)
        assert turn is not None
        days += [add_days(turn.first, n) for n in range((turn.last - turn.first).days + 1)]
        done(night, turn)
        night = add_days(night, 1)
    assert days == [add_days(SINCE, n) for n in range(len(days))]
    assert days[-1] >= add_days(recent(night), -4)
    again = turn_of("audit", night, since=SINCE)
    assert again is not None
    assert again.first == SINCE


def failed(day: date) -> None:
    now = clock.now()
    JobRun.objects.create(
        job="audit", day=day, state="failed", started_at=now, ended_at=now, error="broken"
    )


def test_a_failed_night_keeps_its_turn_and_the_nights_after_it_take_the_next_ones() -> None:
    """A fault may stay for weeks; the periods beside it are looked at meanwhile."""
    night = add_days(SINCE, RECENT_DAYS + 3 * PERIOD_DAYS - 10)
    done(night, turn_of("audit", night, since=SINCE))
    numbers = []
    for after in range(1, 7):
        turn = turn_of("audit", add_days(night, after), since=SINCE)
        assert turn is not None
        numbers.append(turn.number)
        if turn.number == 2:
            failed(add_days(night, after))
        else:
            done(add_days(night, after), turn)
    assert numbers == [2, 3, 1, 2, 3, 1]
    again = turn_of("audit", add_days(night, 1), since=SINCE)
    assert again is not None and again.number == 2


def test_every_period_has_its_turn_where_no_night_is_done() -> None:
    night = add_days(SINCE, RECENT_DAYS + 3 * PERIOD_DAYS - 10)
    numbers = set()
    for after in range(3):
        turn = turn_of("audit", add_days(night, after), since=SINCE)
        assert turn is not None
        numbers.add(turn.number)
        failed(add_days(night, after))
    assert numbers == {1, 2, 3}
