"""Division of a meeting's money, by the verifier alone and against the engine."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lototrot.engine.bet_type import BetType, shipped
from lototrot.engine.distribution import Takings, distribute
from tests.support.verifying.load import verifier

money, forms = verifier("money"), verifier("forms")
BET_TYPE = shipped("lototrot", minimum_prize_percent=Fraction(60))
RULES: dict[str, Any] = BET_TYPE.to_document()


def taken(takings: int, winners: tuple[int, ...], jackpot: int, reserve: int, lapsed: int) -> Any:
    named = {str(hits): number for hits, number in zip((7, 6, 5, 4), winners, strict=True)}
    carried = {"jackpot_in": jackpot, "reserve_in": reserve, "lapsed_in": lapsed}
    return {"takings": takings, "winners": named, **carried}


@pytest.mark.article("14.III.9.2", "14.III.9.3")
@pytest.mark.parametrize(
    "jackpot, regime", [(14_999_999, "9.2"), (15_000_000, "9.2"), (15_000_001, "9.3")]
)
def test_the_threshold_decides_the_regime(jackpot: int, regime: str) -> None:
    assert money.figures(RULES, taken(100_000, (0, 1, 1, 1), jackpot, 0, 0))["regime"] == regime


@pytest.mark.article("14.III.9.5")
def test_an_empty_category_falls_and_the_highest_keeps_its_own() -> None:
    shares = {7: 30, 6: 20, 5: 20, 4: 30}
    assert money.cascaded(shares, {7: 0, 6: 0, 5: 2, 4: 1}) == ({7: 30, 6: 0, 5: 40, 4: 30}, 0)
    assert money.cascaded(shares, {7: 0, 6: 1, 5: 0, 4: 0}) == ({7: 30, 6: 20, 5: 0, 4: 0}, 50)


@pytest.mark.article("14.III.9.7")
def test_inverted_neighbours_are_halved_and_if_still_inverted_joined() -> None:
    halved, amounts, groups = money.corrected({5: 10, 4: 30}, {5: 1, 4: 2})
    assert (halved, amounts, groups) == ([[5, 4]], {5: 20, 4: 20}, [[5], [4]])
    halved, _, groups = money.corrected({6: 10, 5: 30}, {6: 2, 5: 1})
    assert (halved, groups) == ([[6, 5]], [[6, 5]])


@given(
    st.integers(0, 10**9),
    st.tuples(*[st.integers(0, 400)] * 4),
    st.integers(0, 4 * 10**7),
    st.integers(0, 10**7),
    st.integers(0, 10**6),
)
def test_the_verifier_agrees_with_the_engine(
    takings: int, winners: tuple[int, ...], jackpot: int, reserve: int, lapsed: int
) -> None:
    given_ = taken(takings, winners, jackpot, reserve, lapsed)
    by_hits = dict(zip((7, 6, 5, 4), winners, strict=True))
    engine = distribute(Takings(takings, by_hits, jackpot, reserve, lapsed), BET_TYPE)
    computed: dict[str, Any] = engine.to_document()
    figures = money.figures(RULES, given_)
    assert {name: computed[name] for name in figures} == figures


@pytest.mark.parametrize(
    "change, field",
    [
        ({"prize_percent": "59.9"}, "prize_percent"),
        ({"payout_step_cents": 0}, "payout_step_cents"),
        ({"shares_below": RULES["shares_below"] | {"7": "31"}}, "shares_below"),
        ({"shares_above": {"7": "100"}}, "shares_above"),
    ],
)
def test_rules_against_the_law_are_refused_by_name(change: Any, field: str) -> None:
    with pytest.raises(forms.Refused, match=field):
        money.figures(RULES | change, taken(100, (0, 0, 0, 1), 0, 0, 0))


def test_the_rules_are_those_of_the_shipped_bet_type() -> None:
    assert BetType.from_document(RULES, minimum_prize_percent=Fraction(60)) == BET_TYPE


@pytest.mark.article("14.III.6.1")
def test_the_parts_of_the_organiser_are_those_of_percents_that_make_a_hundred() -> None:
    percents, parts = {"races": "50", "remainder": "50"}, {"races": 50, "remainder": 51}
    money.check_organiser({"percents": percents, "parts": parts}, 101, "organiser")
    for other in ("40", "60"):
        lie = {"percents": percents | {"remainder": other}, "parts": parts}
        with pytest.raises(forms.Refused, match=r"^organiser\.percents: does not add up to 100"):
            money.check_organiser(lie, 101, "organiser")
    lie = {"percents": percents, "parts": {"races": 51, "remainder": 50}}
    with pytest.raises(forms.Refused, match=r"^organiser\.parts: "):
        money.check_organiser(lie, 101, "organiser")
