"""Lototrot's accounts: the division of the organiser's share."""

from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lototrot import accounts
from lototrot.accounts import Part

cents = st.integers(0, 3_000_000)


@pytest.mark.article("14.III.6.1")
@given(amount=cents)
def test_the_organisers_parts_are_the_whole_share_and_the_remainder_takes_the_cents(
    amount: int,
) -> None:
    share = accounts.organiser_share(date(2024, 1, 1))
    parts = share.divide(amount)
    assert sum(parts.values()) == amount
    for part in Part:
        exact = amount * share.percents[part] / 100
        least = 0 if part is Part.REMAINDER else exact - 1
        most = exact + len(Part) if part is Part.REMAINDER else exact
        assert least <= parts[part] <= most


@pytest.mark.article("14.III.6.1")
def test_the_division_of_the_organisers_share_is_dated() -> None:
    share = accounts.organiser_share(date(2024, 1, 1))
    assert share == accounts.organiser_share(date(1999, 1, 1))
    assert sum(share.percents.values(), Fraction()) == 100
    assert share.source
