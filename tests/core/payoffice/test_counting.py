"""Count cash by the notes and coins of the euro."""

import pytest

from core.payoffice.counting import (
    MOST_PIECES,
    CountMalformed,
    count_cents,
    count_of,
    fewest,
    pieces,
)


@pytest.mark.parametrize(
    "wrong",
    [
        [(50_00, -1)],
        [(50_00, MOST_PIECES + 1)],
        [(3_00, 1)],
        [(0, 1)],
        [(50_00, 1), (50_00, 1)],
        [(50_00, 0), (50_00, 1)],
    ],
)
def test_what_no_drawer_holds_is_no_count(wrong: list[tuple[int, int]]) -> None:
    with pytest.raises(CountMalformed):
        count_of(wrong)


def test_a_count_names_what_is_there_the_largest_first() -> None:
    count = count_of([(1, 3), (500_00, 2), (20, 0), (2_00, MOST_PIECES)])
    assert list(count.items()) == [("50000", 2), ("200", MOST_PIECES), ("1", 3)]
    assert count_cents(count) == 1_000_00 + 20_000_00 + 3
    stored = dict(sorted(count.items()))  # as the database gives it back
    assert pieces(stored) == [(500_00, 2), (2_00, MOST_PIECES), (1, 3)]
    assert count_of([]) == {} and count_cents({}) == 0


@pytest.mark.parametrize("cents", [0, 1, 88, 1_234_56, 10_000_000])
def test_a_sum_in_the_fewest_pieces_is_that_sum(cents: int) -> None:
    assert count_cents(fewest(cents)) == cents


def test_nothing_holds_less_than_nothing() -> None:
    with pytest.raises(CountMalformed):
        fewest(-1)
