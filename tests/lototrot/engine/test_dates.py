from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.kernel.days import DayOutOfRange
from lototrot.engine.dates import (
    ResultsBeforeMeeting,
    first_pay_day,
    last_claim_day,
    receiving_meeting,
)

DAYS = st.dates(date(2000, 1, 1), date(2100, 1, 1))


@pytest.mark.article("14.III.10.2")
@pytest.mark.parametrize(
    ("results", "last"),
    [
        (date(2024, 1, 30), date(2024, 2, 29)),
        (date(2023, 1, 30), date(2023, 3, 1)),
        (date(2024, 12, 15), date(2025, 1, 14)),
        (date(2024, 3, 30), date(2024, 4, 29)),
        (date(2024, 10, 26), date(2024, 11, 25)),
    ],
)
def test_the_thirtieth_day_is_the_last(results: date, last: date) -> None:
    assert last_claim_day(results, 30) == last


@given(DAYS, st.integers(1, 60))
@pytest.mark.article("14.III.10.2")
def test_the_day_after_the_results_is_day_one(results: date, claim_days: int) -> None:
    counted = [results + timedelta(days=n) for n in range(1, claim_days + 1)]
    assert last_claim_day(results, claim_days) == counted[-1]


@given(DAYS, st.integers(0, 40))
@pytest.mark.article("14.III.8.1", "14.III.10.2")
def test_payment_starts_after_both_the_meeting_and_the_results(day: date, later: int) -> None:
    results = day + timedelta(days=later)
    assert first_pay_day(day, results) == results + timedelta(days=1) > day


@pytest.mark.article("14.III.8.1")
def test_results_are_not_older_than_the_meeting() -> None:
    with pytest.raises(ResultsBeforeMeeting):
        first_pay_day(date(2024, 3, 2), date(2024, 3, 1))


@pytest.mark.article("14.III.10.7")
def test_lapsed_money_goes_to_the_first_meeting_after_the_last_day() -> None:
    last = date(2024, 3, 1)
    days = [date(2024, 3, 9), last, date(2024, 3, 2), date(2024, 2, 1)]
    assert receiving_meeting(last, days) == date(2024, 3, 2)
    assert receiving_meeting(date(2024, 3, 9), days) is None


def test_the_calendar_ends() -> None:
    with pytest.raises(DayOutOfRange):
        last_claim_day(date(9999, 12, 30), 30)
