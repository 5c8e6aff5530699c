from dataclasses import replace
from fractions import Fraction
from itertools import takewhile
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.kernel.canonical import canonical_bytes
from core.kernel.errors import InvariantBroken
from lototrot.engine.bet_type import BetType, Regime, shipped
from lototrot.engine.distribution import (
    Distribution,
    Takings,
    TakingsMalformed,
    distribute,
    verify,
)

LEAST = Fraction(60)
LOTOTROT = shipped("lototrot", minimum_prize_percent=LEAST)

MONEY = st.one_of(st.integers(0, 200), st.integers(0, 3 * 10**6), st.integers(0, 10**11))
WINNERS = st.one_of(st.integers(0, 3), st.integers(0, 30), st.integers(0, 10**6))


@st.composite
def shares(draw: st.DrawFn, categories: range, *, with_reserve: bool) -> dict[str, str]:
    """Percentages that sum to 100, in hundredths, the last name taking what is left."""
    names = [str(c) for c in categories] + (["reserve"] if with_reserve else [])
    cuts = sorted(draw(st.integers(0, 10000)) for _ in names[1:])
    parts = [b - a for a, b in zip([0, *cuts], [*cuts, 10000], strict=True)]
    return {n: f"{p // 100}.{p % 100:02d}" for n, p in zip(names, parts, strict=True)}


@st.composite
def bet_types(draw: st.DrawFn) -> BetType:
    """Lototrot's and any other."""
    if draw(st.booleans()):
        return LOTOTROT
    legs = draw(st.integers(2, 10))
    categories = range(legs, draw(st.integers(1, legs)) - 1, -1)
    document = {
        **LOTOTROT.to_document(),
        "legs": legs,
        "prize_percent": str(draw(st.integers(60, 100))),
        "payout_step_cents": draw(st.sampled_from([1, 5, 10, 100])),
        "jackpot_threshold_cents": draw(st.integers(0, 10**7)),
        "shares_below": draw(shares(categories, with_reserve=draw(st.booleans()))),
        "shares_above": draw(shares(categories, with_reserve=draw(st.booleans()))),
    }
    return BetType.from_document(document, minimum_prize_percent=LEAST)


@st.composite
def meetings(draw: st.DrawFn, kinds: st.SearchStrategy[BetType]) -> tuple[Takings, BetType]:
    bet_type = draw(kinds)
    jackpot = draw(st.one_of(MONEY, st.just(bet_type.jackpot_threshold_cents)))
    winners = {category: draw(WINNERS) for category in bet_type.categories}
    return Takings(draw(MONEY), winners, jackpot, draw(MONEY), draw(MONEY)), bet_type


MEETINGS = meetings(bet_types())
OWN_MEETINGS = meetings(st.just(LOTOTROT))


def _settle(**changes: Any) -> Distribution:
    usual: dict[str, Any] = {
        "takings": 1_000_000,
        "winners": {7: 0, 6: 10, 5: 60, 4: 300},
        "jackpot_in": 0,
        "reserve_in": 0,
        "lapsed_in": 0,
    }
    return distribute(Takings(**{**usual, **changes}), LOTOTROT)


@given(MEETINGS)
@pytest.mark.article("14.I.4", "14.III.6.1", "14.III.9.1", "14.III.9.6")
def test_to_the_cent_nothing_is_lost_or_made(case: tuple[Takings, BetType]) -> None:
    meeting, bet_type = case
    d = distribute(meeting, bet_type)
    incoming = meeting.takings + meeting.jackpot_in + meeting.reserve_in + meeting.lapsed_in
    prizes = sum(prize * meeting.winners[c] for c, prize in d.prize_each.items())
    assert incoming == d.organiser_share + prizes + d.jackpot_out + d.reserve_out
    assert 100 * d.prize_pool >= bet_type.prize_percent * meeting.takings
    assert 100 * (d.prize_pool - 1) < bet_type.prize_percent * meeting.takings
    assert all(prize % bet_type.payout_step_cents == 0 for prize in d.prize_each.values())
    most = sum(bet_type.payout_step_cents * w for w in meeting.winners.values())
    assert 0 <= d.rounding_remainder <= most


@given(MEETINGS)
@pytest.mark.article("14.III.9.7")
def test_prizes_never_grow_downwards(case: tuple[Takings, BetType]) -> None:
    d = distribute(*case)
    prizes = list(d.prize_each.values())
    assert prizes == sorted(prizes, reverse=True)
    so_far, before_so_far = Fraction(0), 0
    for category in d.prize_each:
        so_far += d.after_correction[category]
        before_so_far += d.before_correction[category]
        assert so_far >= before_so_far


@given(MEETINGS)
@pytest.mark.article("14.III.9.5", "14.III.9.8")
def test_the_jackpot_and_the_reserve_never_leak(case: tuple[Takings, BetType]) -> None:
    meeting, bet_type = case
    d = distribute(meeting, bet_type)
    top, lowest = bet_type.categories[0], bet_type.categories[-1]
    if meeting.winners[top]:
        assert (d.jackpot_out, d.reserve_paid_out) == (0, meeting.reserve_in)
        own = meeting.jackpot_in + meeting.lapsed_in + meeting.reserve_in + d.shares[top]
        assert d.after_correction[top] >= own
    else:
        own = meeting.jackpot_in + meeting.lapsed_in + d.shares[top]
        assert (d.jackpot_out, d.reserve_paid_out) == (own, 0)
        assert d.reserve_out >= meeting.reserve_in
    fallen = lowest != top and not meeting.winners[lowest]
    assert (d.unwon_to_reserve > 0) <= fallen
    today = d.reserve_share + d.unwon_to_reserve + d.rounding_remainder
    assert d.reserve_out == meeting.reserve_in - d.reserve_paid_out + today


@given(MEETINGS)
@pytest.mark.article("14.III.9.1", "14.III.9.2", "14.III.9.3", "14.III.9.5")
def test_an_empty_category_falls_on_the_next_that_has_winners(
    case: tuple[Takings, BetType],
) -> None:
    meeting, bet_type = case
    d = distribute(meeting, bet_type)
    top, *lower = bet_type.categories
    percents = bet_type.shares(d.regime)
    for category in lower:
        assert d.shares[category] == percents.categories[category] * d.prize_pool // 100
    assert d.reserve_share == percents.reserve * d.prize_pool // 100
    assert d.shares[top] == d.prize_pool - d.reserve_share - sum(d.shares[c] for c in lower)
    assert d.after_cascade[top] == d.shares[top]
    for place, category in enumerate(lower):
        above = takewhile(lambda c: not meeting.winners[c], reversed(lower[:place]))
        run = sum(d.shares[c] for c in above) + d.shares[category]
        assert d.after_cascade[category] == (run if meeting.winners[category] else 0)
    landed = sum(d.after_cascade[c] for c in lower)
    assert d.unwon_to_reserve == sum(d.shares[c] for c in lower) - landed
    if lower and meeting.winners[lower[-1]]:
        assert d.unwon_to_reserve == 0


@given(OWN_MEETINGS)
@pytest.mark.article("14.III.9.7")
def test_with_the_percentages_of_the_text_two_halvings_never_survive(
    case: tuple[Takings, BetType],
) -> None:
    correction = distribute(*case).correction
    for pair in correction.halved:
        if pair in ((7, 6), (6, 5)):
            assert any(set(pair) <= set(group) for group in correction.joined)


@pytest.mark.article("14.III.9.7")
@pytest.mark.parametrize(
    ("winners", "pair"),
    [
        ({7: 0, 6: 1, 5: 10, 4: 12}, (5, 4)),
        ({7: 4, 6: 0, 5: 5, 4: 300}, (7, 5)),
        ({7: 0, 6: 5, 5: 0, 4: 10}, (6, 4)),
        ({7: 4, 6: 0, 5: 0, 4: 6}, (7, 4)),
    ],
)
def test_the_other_halvings_can_survive(winners: dict[int, int], pair: tuple[int, int]) -> None:
    d = _settle(winners=winners)
    assert pair in d.correction.halved
    assert d.correction.joined == ()
    assert d.after_correction[pair[0]] == d.after_correction[pair[1]]
    assert d.prize_each[pair[0]] > d.prize_each[pair[1]]


@pytest.mark.article("14.III.9.5", "14.III.9.7")
def test_the_cascade_alone_can_invert() -> None:
    with_six = _settle(winners={7: 3, 6: 3, 5: 3, 4: 300})
    without = _settle(winners={7: 3, 6: 0, 5: 3, 4: 300})
    assert with_six.correction.halved == ()
    assert without.correction.halved == ((7, 5),)


@pytest.mark.article("14.III.9.2", "14.III.9.3", "14.III.9.4", "14.III.10.7")
@pytest.mark.parametrize(
    ("jackpot", "lapsed", "regime"),
    [
        (15_000_000, 0, Regime.BELOW),
        (15_000_001, 0, Regime.ABOVE),
        (14_999_999, 1, Regime.BELOW),
        (14_999_999, 2, Regime.ABOVE),
        (0, 15_000_001, Regime.ABOVE),
    ],
)
def test_the_tested_figure_is_what_came_in(jackpot: int, lapsed: int, regime: Regime) -> None:
    d = _settle(jackpot_in=jackpot, lapsed_in=lapsed, reserve_in=10**9, takings=10**9)
    assert (d.regime, d.tested_jackpot) == (regime, jackpot + lapsed)


@pytest.mark.article("14.III.9.8")
def test_todays_contributions_stay_for_the_next_winner() -> None:
    d = _settle(winners={7: 1, 6: 10, 5: 60, 4: 0}, jackpot_in=16_000_000, reserve_in=777)
    assert d.reserve_paid_out == 777
    assert d.reserve_out == d.reserve_share + d.unwon_to_reserve == 60_000 + 180_000


@pytest.mark.article("14.III.9.6")
def test_a_prize_below_the_step_pays_nothing_and_stays() -> None:
    d = _settle(takings=100, winners={7: 0, 6: 1, 5: 1, 4: 20})
    assert (d.prize_each[4], d.rounding_remainder, d.reserve_out) == (0, 18, 18)


@given(MEETINGS)
def test_a_distribution_has_a_canonical_document(case: tuple[Takings, BetType]) -> None:
    d = distribute(*case)
    document = d.to_document()
    assert canonical_bytes(document) == canonical_bytes(distribute(*case).to_document())
    assert document.items() >= d.figures().items()


SOUND = _settle(winners={7: 1, 6: 10, 5: 60, 4: 299}, reserve_in=5)


@pytest.mark.parametrize(
    ("changes", "check"),
    [
        ({"jackpot_out": 1}, "incoming_is_outgoing"),
        ({"takings": 999_999}, "incoming_is_outgoing"),
        ({"prize_each": {**SOUND.prize_each, 6: 11_999}}, "prizes_sum_to_total"),
        ({"winners": {**SOUND.winners, 4: 298}}, "prizes_sum_to_total"),
        (
            {"prize_each": {}, "prizes_total": 0, "jackpot_out": SOUND.prizes_total},
            "prizes_go_to_winners",
        ),
        (
            {"after_correction": {**SOUND.after_correction, 7: Fraction(1)}},
            "correction_moves_no_money",
        ),
        ({"shares": {**SOUND.shares, 5: 1}}, "pool_is_divided"),
        ({"jackpot_out": -5, "reserve_out": SOUND.reserve_out + 5}, "nothing_negative"),
        ({"reserve_out": -5, "jackpot_out": SOUND.reserve_out + 5}, "nothing_negative"),
        ({"organiser_share": -5, "jackpot_out": SOUND.organiser_share + 5}, "nothing_negative"),
        ({"rounding_remainder": -1}, "nothing_negative"),
        (
            {"shares": {**SOUND.shares, 5: -1, 4: SOUND.shares[4] + SOUND.shares[5] + 1}},
            "nothing_negative",
        ),
        (
            {
                "prize_each": {**SOUND.prize_each, 4: -1},
                "prizes_total": SOUND.prizes_total - 299 * (SOUND.prize_each[4] + 1),
                "jackpot_out": 299 * (SOUND.prize_each[4] + 1),
            },
            "nothing_negative",
        ),
    ],
)
def test_a_distribution_that_does_not_hold_is_caught(changes: dict[str, Any], check: str) -> None:
    verify(SOUND)
    with pytest.raises(InvariantBroken) as caught:
        verify(replace(SOUND, **changes))
    assert caught.value.data["check"] == check


def test_an_inverted_prize_is_caught() -> None:
    swapped = {7: 12_000, 6: 180_000}
    wrong = replace(
        SOUND,
        winners=MappingProxyType({7: 1, 6: 1}),
        prize_each=MappingProxyType(swapped),
        prizes_total=192_000,
        jackpot_out=SOUND.prizes_total - 192_000,
    )
    with pytest.raises(InvariantBroken) as caught:
        verify(wrong)
    assert caught.value.data["check"] == "prizes_never_grow_downwards"


@pytest.mark.parametrize(
    "changes",
    [
        {"takings": -1},
        {"jackpot_in": -1},
        {"reserve_in": -1},
        {"lapsed_in": -1},
        {"winners": {7: 0, 6: 10, 5: 60}},
        {"winners": {7: 0, 6: 10, 5: 60, 4: 300, 3: 1}},
        {"winners": {7: -1, 6: 10, 5: 60, 4: 300}},
    ],
)
def test_figures_that_cannot_be_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(TakingsMalformed):
        _settle(**changes)


def test_a_settlement_cannot_be_written_over() -> None:
    with pytest.raises(TypeError):
        SOUND.prize_each[7] = 1
