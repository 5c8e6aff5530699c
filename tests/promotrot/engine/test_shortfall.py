from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.kernel.canonical import canonical_bytes
from promotrot.engine.game import PredrawnGame, ProbabilisticGame
from promotrot.engine.game_json import shipped
from promotrot.engine.plan import make_plan
from promotrot.engine.prize_table import InKind, PredrawnType, Prize, Tier
from promotrot.engine.shortfall import (
    Closing,
    ExtraImpossible,
    FiguresDisagree,
    bonus_table,
    fund_extra,
    state,
    with_extra,
)

SEVENTY = Fraction(70)


def _closing(**changes: Any) -> Closing:
    """Return the closing of the rulebook's example [P2]: 10,000 tickets at 0.50, withdrawn after
    5,000.
    """
    closing = Closing(
        tickets=10_000,
        sold=5_000,
        refunded=0,
        unfinished=0,
        price_cents=50,
        awarded_cents=125_000,
        extra_awarded_cents=0,
        unclaimed_cents=0,
        owed_before_cents=0,
        minimum_percent=SEVENTY,
    )
    return replace(closing, **changes)


@pytest.mark.article("15.III.6.2")
def test_an_emission_withdrawn_half_sold_owes_what_it_is_short() -> None:
    statement = state(_closing())
    assert statement.takings_cents == 250_000
    assert statement.percent == 50
    assert statement.shortfall_cents == 50_000
    assert statement.owed_cents == 50_000
    assert statement.unsold == 5_000


@pytest.mark.article("15.III.6.2")
def test_the_shortfall_rounds_up_and_the_percentage_is_exact() -> None:
    statement = state(_closing(tickets=9, sold=9, price_cents=21, awarded_cents=132))
    assert statement.takings_cents == 189  # 70 % is 132.3 cents
    assert statement.shortfall_cents == 1
    assert statement.percent == Fraction(13_200, 189)
    assert state(_closing(tickets=9, sold=9, price_cents=21, awarded_cents=133)).owed_cents == 0


@pytest.mark.article("15.III.6.2")
def test_more_than_the_minimum_owes_nothing_and_pays_no_older_debt() -> None:
    """The excess of an emission pays no debt of this or another emission [P3, P14]."""
    assert state(_closing(awarded_cents=900_000)).owed_cents == 0
    assert state(_closing(awarded_cents=900_000, owed_before_cents=7)).owed_cents == 7


@pytest.mark.article("15.III.6.7", "15.III.6.2")
def test_unclaimed_prizes_count_and_are_stated_apart() -> None:
    statement = state(_closing(awarded_cents=175_000, unclaimed_cents=60_000))
    assert (statement.shortfall_cents, statement.percent) == (0, 70)
    document = statement.document()
    assert isinstance(document, dict)
    assert document["unclaimed_cents"] == 60_000


@pytest.mark.article("15.III.6.2")
def test_extra_prizes_pay_the_debt_and_nothing_else() -> None:
    paid = state(
        _closing(awarded_cents=175_000, extra_awarded_cents=30_000, owed_before_cents=50_000)
    )
    assert (paid.shortfall_cents, paid.percent, paid.owed_cents) == (0, 70, 20_000)
    both = state(_closing(extra_awarded_cents=60_000, owed_before_cents=50_000))
    assert (both.shortfall_cents, both.owed_cents) == (50_000, 50_000)


def test_refunds_leave_the_takings() -> None:
    statement = state(_closing(refunded=100, unfinished=3))
    assert statement.takings_cents == 4_900 * 50
    assert statement.shortfall_cents == 171_500 - 125_000


def test_nothing_sold() -> None:
    statement = state(_closing(sold=0, awarded_cents=0))
    assert (statement.percent, statement.owed_cents, statement.unsold) == (None, 0, 10_000)
    document = statement.document()
    assert isinstance(document, dict)
    assert document["percent"] is None


@pytest.mark.parametrize(
    "changes",
    [
        {"sold": 10_001},
        {"sold": -1},
        {"refunded": 5_001},
        {"refunded": 2_500, "unfinished": 2_501},
        {"unfinished": -1},
        {"refunded": -1},
        {"awarded_cents": -1},
        {"extra_awarded_cents": -1},
        {"unclaimed_cents": 125_001},
        {"unclaimed_cents": -1},
        {"owed_before_cents": -1},
        {"price_cents": 0},
    ],
)
def test_figures_that_cannot_be_true(changes: dict[str, int]) -> None:
    with pytest.raises(FiguresDisagree) as refused:
        state(_closing(**changes))
    assert refused.value.code == "closing_figures_disagree"


CLOSINGS = st.builds(
    Closing,
    tickets=st.just(10_000),
    sold=st.integers(3_000, 10_000),
    refunded=st.integers(0, 1_000),
    unfinished=st.integers(0, 1_000),
    price_cents=st.integers(20, 1000),
    awarded_cents=st.integers(0, 10**7),
    extra_awarded_cents=st.integers(0, 10**6),
    unclaimed_cents=st.just(0),
    owed_before_cents=st.just(0),
    minimum_percent=st.just(SEVENTY),
)


@pytest.mark.article("15.III.6.2")
@given(st.lists(CLOSINGS, max_size=6))
def test_a_game_never_ends_below_seventy_with_nothing_owed(closings: list[Closing]) -> None:
    """Over all emissions, awards and debts together reach 70 % of the takings [P14]."""
    owed, statements = 0, []
    for closing in closings:
        # An extra prize is only made from a debt.
        funded = min(closing.extra_awarded_cents, owed)
        statement = state(replace(closing, owed_before_cents=owed, extra_awarded_cents=funded))
        owed = statement.owed_cents
        statements.append(statement)
        canonical_bytes(statement.document())
    takings = sum(each.takings_cents for each in statements)
    awarded = sum(
        each.closing.awarded_cents + each.closing.extra_awarded_cents for each in statements
    )
    assert 100 * (awarded + owed) >= 70 * takings


@pytest.mark.article("15.III.6.2")
@given(st.integers(0, 10**7), st.integers(1, 10**5), st.integers(0, 10**4))
def test_a_debt_becomes_prizes_or_stays_owed(owed: int, cents: int, room: int) -> None:
    if owed < cents or room < 1:
        with pytest.raises(ExtraImpossible):
            fund_extra(Prize(cents), owed, room)
        return
    tier, left = fund_extra(Prize(cents), owed, room)
    assert tier.extra
    assert tier.total_cents + left == owed
    assert 1 <= tier.count <= room
    assert tier.count == room or left < cents


@pytest.mark.article("15.II.2", "15.III.6.2")
def test_the_next_emission_holds_the_extra_prizes_above_its_seventy() -> None:
    game = next(g for g in shipped() if g.code == "lap-of-honour")
    assert isinstance(game, PredrawnGame)
    kind, left = with_extra(game.kind, 50_030, 4)
    assert (left, kind.extra_cents, kind.prizes_cents) == (30, 50_000, game.kind.prizes_cents)
    assert kind.tiers[-1] == Tier(Prize(1000), 50, extra=True)
    assert kind.shown_as(9) == 4
    plan = make_plan(kind, SEVENTY, block_tickets=10_000)
    assert sum(each.blocks * each.prizes[-1] for each in plan.classes) == 50
    for wrong in (0, 9, -1):
        with pytest.raises(ExtraImpossible):
            with_extra(game.kind, 50_000, wrong)
    with pytest.raises(ExtraImpossible):
        with_extra(kind, 50_000, 4)


@pytest.mark.article("15.II.3", "15.III.6.2")
def test_a_probabilistic_game_gets_them_apart_from_the_play() -> None:
    game = next(g for g in shipped() if isinstance(g, ProbabilisticGame))
    table, left = bonus_table(game.kind, 12_345, 3)
    assert (left, table.tiers) == (345, (Tier(Prize(500), 24, extra=True),))
    plan = make_plan(table, Fraction(0), block_tickets=10_000)
    assert plan.tickets == game.kind.tickets
    spread = [each.prizes[0] for each in plan.classes for _ in range(each.blocks)]
    assert sum(spread) == 24
    assert max(spread) - min(spread) <= 1
    with pytest.raises(ExtraImpossible):
        bonus_table(game.kind, 12_345, 7)


def test_no_extra_prize_without_a_value() -> None:
    unvalued = Prize(in_kind=InKind("bicycle", None, "", None))
    with pytest.raises(ExtraImpossible):
        fund_extra(unvalued, 1_000, 10)
    full = PredrawnType(SEVENTY, 10, 50, (Tier(Prize(50), 10),))
    with pytest.raises(ExtraImpossible):
        with_extra(full, 1_000, 1)
