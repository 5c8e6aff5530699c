from datetime import UTC, datetime, timedelta, timezone
from itertools import permutations

import pytest

from core.kernel.days import NaiveInstant
from lototrot.engine.closing import (
    Cause,
    Closing,
    closing,
    legal_limit,
    prints_end_at,
)

NOON = datetime(2024, 7, 14, 12, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.mark.article("14.III.4")
def test_the_earliest_of_the_three_closes() -> None:
    for first, second, third in permutations((0, 1, 2)):
        closes_at = closing(
            NOON + first * MINUTE, [NOON + second * MINUTE], [NOON + third * MINUTE]
        )
        cause = (Cause.SCHEDULE, Cause.START, Cause.NOT_RUN)[[first, second, third].index(0)]
        assert closes_at == Closing(NOON, cause)


@pytest.mark.article("14.III.4")
def test_real_time_decides_not_the_order_nor_the_zone() -> None:
    there = timezone(timedelta(hours=-10))
    starts = [NOON + 5 * MINUTE, (NOON + MINUTE).astimezone(there), NOON + 9 * MINUTE]
    closes_at = closing(NOON + 7 * MINUTE, starts, [])
    assert closes_at is not None
    assert closes_at.instant == NOON + MINUTE


def test_nothing_closes_a_contest_without_events() -> None:
    assert closing(None, [], []) is None
    assert legal_limit([], []) is None


@pytest.mark.article("14.III.4")
def test_the_law_closes_at_the_start_even_if_the_schedule_is_later() -> None:
    assert legal_limit([NOON + MINUTE], [NOON]) == NOON
    late = closing(NOON + 9 * MINUTE, [NOON], [])
    assert late == Closing(NOON, Cause.START)


@pytest.mark.article("14.III.4")
def test_a_confirmed_start_closes_with_its_stop_if_that_came_first() -> None:
    """[E12]: the earlier of the two instants."""
    for stop, start in ((1, 2), (2, 1)):
        closes_at = closing(NOON + 9 * MINUTE, [NOON + start * MINUTE], [], [NOON + stop * MINUTE])
        assert closes_at == Closing(NOON + MINUTE, Cause.START)
    declared = closing(None, [], [NOON + MINUTE], [NOON + 2 * MINUTE, NOON])
    assert declared == Closing(NOON, Cause.NOT_RUN)


@pytest.mark.article("14.III.4")
def test_a_stop_without_a_start_closes_nothing() -> None:
    """[E12]: the schedule does, at its own time."""
    assert closing(None, [], [], [NOON]) is None
    late = closing(NOON + MINUTE, [], [], [NOON])
    assert late == Closing(NOON + MINUTE, Cause.SCHEDULE)
    early = closing(NOON, [NOON + 2 * MINUTE], [], [NOON + MINUTE])
    assert early == Closing(NOON, Cause.SCHEDULE)


@pytest.mark.article("14.III.4")
def test_the_race_is_the_cause_where_the_schedule_has_the_same_instant() -> None:
    """[E1]: the seal then says that the race closed it."""
    assert closing(NOON, [NOON], []) == Closing(NOON, Cause.START)
    assert closing(NOON, [], [NOON]) == Closing(NOON, Cause.NOT_RUN)


def test_a_ticket_is_printed_again_for_some_time_after_the_closing() -> None:
    """[E11]"""
    assert prints_end_at(NOON, 300) == NOON + 5 * MINUTE


def test_times_need_a_zone() -> None:
    with pytest.raises(NaiveInstant):
        closing(None, [NOON.replace(tzinfo=None)], [])
    with pytest.raises(NaiveInstant):
        closing(NOON, [], [], [NOON.replace(tzinfo=None)])
    with pytest.raises(NaiveInstant):
        prints_end_at(NOON.replace(tzinfo=None), 300)
