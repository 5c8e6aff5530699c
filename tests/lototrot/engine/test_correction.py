"""9.7, against the consequences derived in the rulebook and an independent formula."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lototrot.engine.correction import correct

Counts = dict[int, int]


@st.composite
def pools(draw: st.DrawFn) -> tuple[Counts, Counts]:
    """Amounts and winners of one to nine categories, some of them empty."""
    top = draw(st.integers(1, 10))
    categories = range(top, draw(st.integers(1, top)) - 1, -1)
    winners = {c: draw(st.one_of(st.integers(0, 5), st.integers(0, 10**6))) for c in categories}
    amounts = {c: draw(st.one_of(st.integers(0, 50), st.integers(0, 10**9))) for c in categories}
    return amounts, winners


def _halved_by_hand(amounts: Counts, winners: Counts) -> list[tuple[int, Fraction]]:
    """The first paragraph as a reader would do it: (winners, amount), highest first."""
    won = sorted((c for c in amounts if winners[c]), reverse=True)
    rows = [(winners[c], Fraction(amounts[c])) for c in won]
    for i in range(len(rows) - 1):
        (w1, a1), (w2, a2) = rows[i], rows[i + 1]
        if Fraction(a2, w2) > Fraction(a1, w1):
            rows[i], rows[i + 1] = (w1, Fraction(a1 + a2, 2)), (w2, Fraction(a1 + a2, 2))
    return rows


def _isotonic(rows: list[tuple[int, Fraction]]) -> list[Fraction]:
    """Prizes that never grow downwards, nearest to the given: the min-max formula."""

    def mean(start: int, end: int) -> Fraction:
        part = rows[start : end + 1]
        return Fraction(sum(a for _, a in part), sum(w for w, _ in part))

    places = range(len(rows))
    return [min(max(mean(i, j) for j in places[k:]) for i in places[: k + 1]) for k in places]


@given(pools())
@pytest.mark.article("14.III.9.7")
def test_the_second_paragraph_is_the_isotonic_regression(pool: tuple[Counts, Counts]) -> None:
    amounts, winners = pool
    correction = correct(amounts, winners)
    rows = _halved_by_hand(amounts, winners)
    assert list(correction.after_halving.values()) == [amount for _, amount in rows]
    prizes = [Fraction(amount, winners[c]) for c, amount in correction.amounts.items()]
    assert prizes == _isotonic(rows)


@given(pools())
@pytest.mark.article("14.III.9.7")
def test_money_only_moves_up(pool: tuple[Counts, Counts]) -> None:
    amounts, winners = pool
    after = correct(amounts, winners).amounts
    assert list(after) == sorted((c for c in amounts if winners[c]), reverse=True)
    assert sum(after.values()) == sum(amounts[c] for c in after)
    prizes = [Fraction(amount, winners[c]) for c, amount in after.items()]
    assert prizes == sorted(prizes, reverse=True)
    before_so_far, after_so_far = 0, Fraction(0)
    for category, amount in after.items():
        before_so_far += amounts[category]
        after_so_far += amount
        assert after_so_far >= before_so_far


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.integers(1, 10**4), st.integers(1, 10**4))
@pytest.mark.article("14.III.9.7")
def test_the_halving_of_two_survives_if_the_higher_has_no_more_winners(
    higher: int, lower: int, winners_higher: int, winners_lower: int
) -> None:
    assume(lower * winners_higher > higher * winners_lower)
    correction = correct({7: higher, 6: lower}, {7: winners_higher, 6: winners_lower})
    half = Fraction(higher + lower, 2)
    assert correction.halved == ((7, 6),)
    assert dict(correction.after_halving) == {7: half, 6: half}
    survives = correction.joined == ()
    assert survives == (winners_higher <= winners_lower)
    if not survives:
        common = Fraction(higher + lower, winners_higher + winners_lower)
        expected = {7: common * winners_higher, 6: common * winners_lower}
        assert dict(correction.amounts) == expected


@given(pools())
@pytest.mark.article("14.III.9.7")
def test_the_trace_tells_what_was_done(pool: tuple[Counts, Counts]) -> None:
    amounts, winners = pool
    correction = correct(amounts, winners)
    won = list(correction.amounts)
    assert set(correction.halved) <= set(pairwise(won))
    in_groups = [c for group in correction.joined for c in group]
    assert len(in_groups) == len(set(in_groups))
    for group in correction.joined:
        assert len({Fraction(correction.amounts[c], winners[c]) for c in group}) == 1
    for category in set(won) - set(in_groups):
        assert correction.amounts[category] == correction.after_halving[category]


@pytest.mark.article("14.III.9.7")
def test_one_pass_downwards_with_the_amounts_as_they_stand() -> None:
    # 6 and 5 are not inverted at first, but are once 7 and 6 are halved: A11(a), not (b).
    correction = correct({7: 300, 6: 600, 5: 500}, {7: 10, 6: 2, 5: 2})
    assert correction.halved == ((7, 6), (6, 5))
    assert dict(correction.after_halving) == {7: 450, 6: 475, 5: 475}
    assert correction.joined == ((7, 6, 5),)


@pytest.mark.article("14.III.9.7")
def test_a_halved_pair_is_not_joined_before_going_down() -> None:
    # Joining 6 and 5 before going down, A11(c), would give 966.66, 966.66 and 650.00.
    correction = correct({6: 120_000, 5: 120_000, 4: 180_000}, {6: 2, 5: 1, 4: 2})
    assert correction.halved == ((6, 5),)
    assert dict(correction.amounts) == {6: 168_000, 5: 84_000, 4: 168_000}
    chained = correct({7: 800, 6: 1000, 5: 2400}, {7: 2, 6: 1, 5: 2})
    assert chained.halved == ((7, 6), (6, 5))
    assert dict(chained.after_halving) == {7: 900, 6: 1650, 5: 1650}
    assert chained.joined == ((7, 6),)
    assert dict(chained.amounts) == {7: 1700, 6: 850, 5: 1650}


@pytest.mark.article("14.III.9.7")
def test_equal_prizes_are_left_alone() -> None:
    correction = correct({7: 200, 6: 100}, {7: 2, 6: 1})
    assert (correction.halved, correction.joined) == ((), ())


@pytest.mark.article("14.III.9.7")
def test_categories_without_winners_take_no_part() -> None:
    correction = correct({7: 10, 6: 0, 5: 900}, {7: 0, 6: 0, 5: 1})
    assert (correction.halved, dict(correction.amounts)) == ((), {5: 900})
    over_an_empty_one = correct({7: 100, 6: 0, 5: 300}, {7: 1, 6: 0, 5: 2})
    assert over_an_empty_one.halved == ((7, 5),)
    assert dict(over_an_empty_one.amounts) == {7: 200, 5: 200}


def test_the_amounts_handed_in_are_left_as_they_were() -> None:
    amounts, winners = {7: 100, 6: 300}, {7: 1, 6: 1}
    correct(amounts, winners)
    assert (amounts, winners) == ({7: 100, 6: 300}, {7: 1, 6: 1})
