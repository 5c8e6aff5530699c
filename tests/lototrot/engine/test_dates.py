from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.kernel.days import DayOutOfRange
from lototrot.engine.dates import first_pay_day, last_claim_day, receiving_meeting

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
    assert last_claim_day(results, results, 30) == last


@given(DAYS, st.integers(1, 60))
@pytest.mark.article("14.III.10.2")
def test_the_day_after_the_results_is_day_one(results: date, claim_days: int) -> None:
    counted = [results + timedelta(days=n) for n in range(1, claim_days + 1)]
    assert last_claim_day(results, results, claim_days) == counted[-1]


@given(DAYS, st.integers(-40, 40))
@pytest.mark.article("14.III.8.1", "14.III.10.2")
def test_payment_starts_after_both_the_meeting_and_the_results(day: date, later: int) -> None:
    results = day + timedelta(days=later)
    assert first_pay_day(day, results) == max(day, results) + timedelta(days=1)


@pytest.mark.article("14.III.10.2")
def test_a_meeting_called_off_and_drawn_ahead_counts_from_its_own_day() -> None:
    """D7, scenario 2: called off on 1 May for 5 June and drawn at once."""
    meeting, results = date(2030, 6, 5), date(2030, 5, 1)
    assert first_pay_day(meeting, results) == date(2030, 6, 6)
    for ordered in (results, date(2030, 5, 2), meeting, date(2030, 6, 6)):
        assert last_claim_day(meeting, results, 30, order_day=ordered) == date(2030, 7, 5)


@pytest.mark.article("14.III.10.2")
@pytest.mark.parametrize(
    ("ordered", "last"),
    [
        (date(2030, 6, 8), date(2030, 7, 8)),
        (date(2030, 6, 9), date(2030, 7, 8)),
        (date(2030, 6, 10), date(2030, 7, 9)),
        (date(2030, 7, 12), date(2030, 8, 10)),
    ],
)
def test_a_late_order_moves_the_last_day(ordered: date, last: date) -> None:
    """D7, scenario 1: an order on the day after the results does not; one of 12 July does."""
    meeting = date(2030, 6, 8)
    assert last_claim_day(meeting, meeting, 30, order_day=ordered) == last


@given(DAYS, st.integers(-40, 40), st.integers(-40, 400), st.integers(1, 60))
@pytest.mark.article("14.III.10.2")
def test_nobody_has_fewer_days_than_the_regulation_gives(
    meeting: date, results_later: int, order_later: int, claim_days: int
) -> None:
    results = meeting + timedelta(days=results_later)
    ordered = results + timedelta(days=max(0, order_later))
    last = last_claim_day(meeting, results, claim_days, order_day=ordered)
    payable_from = max(first_pay_day(meeting, results), ordered)
    assert (last - payable_from).days + 1 >= claim_days
    assert last >= last_claim_day(meeting, results, claim_days)


@pytest.mark.article("14.III.10.7")
def test_lapsed_money_goes_to_the_first_meeting_after_the_last_day() -> None:
    last = date(2024, 3, 1)
    days = [date(2024, 3, 9), last, date(2024, 3, 2), date(2024, 2, 1)]
    assert receiving_meeting(last, days) == date(2024, 3, 2)
    assert receiving_meeting(date(2024, 3, 9), days) is None


def test_the_calendar_ends() -> None:
    with pytest.raises(DayOutOfRange):
        last_claim_day(date(9999, 12, 30), date(9999, 12, 30), 30)
