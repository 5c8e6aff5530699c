from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lototrot.engine.bet_type import shipped
from lototrot.engine.hits import bets_by_hits, bets_in, units
from lototrot.engine.races import mask_of, numbers_of

MASKS = st.integers(1, 2**31 - 1).map(lambda m: mask_of(numbers_of(m)[:4]))
LEGS = st.lists(st.tuples(MASKS, st.integers(0, 2**31 - 1)), min_size=2, max_size=6)


@given(LEGS)
@pytest.mark.article("14.III.7", "14.III.9.9")
def test_the_polynomial_counts_what_listing_the_bets_counts(legs: list[tuple[int, int]]) -> None:
    masks, right = [leg[0] for leg in legs], [leg[1] for leg in legs]
    listed = [0] * (len(legs) + 1)
    for bet in product(*(numbers_of(mask) for mask in masks)):
        listed[sum(r >> (n - 1) & 1 for n, r in zip(bet, right, strict=True))] += 1
    assert bets_by_hits(masks, right) == tuple(listed)
    assert bets_in(masks) == sum(listed)


@pytest.mark.article("14.III.7")
def test_units_by_category() -> None:
    bet_type = shipped("lototrot", minimum_prize_percent=Fraction(60))
    one, two = mask_of([1]), mask_of([1, 2])
    by_hits = bets_by_hits([two, two, *[one] * 5], [one] * 7)
    assert units(by_hits, bet_type) == {7: 1, 6: 2, 5: 1, 4: 0}


def test_the_largest_ticket_is_counted_exactly() -> None:
    everything = 2**31 - 1
    assert bets_by_hits([everything] * 10, [1] * 10)[10] == 1
    assert sum(bets_by_hits([everything] * 10, [1] * 10)) == bets_in([everything] * 10) == 31**10


def test_as_many_races_as_results() -> None:
    with pytest.raises(ValueError, match="zip"):
        bets_by_hits([1, 1], [1])
