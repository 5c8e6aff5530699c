from dataclasses import replace
from datetime import date
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.kernel.regulation import GameFigures, shipped
from promotrot.engine.prize_table import (
    InKind,
    PredrawnType,
    Prize,
    Tier,
    declarable,
    faults,
)
from promotrot.engine.rules import EmissionMalformed

DAY = date(2026, 11, 20)
FIGURES = shipped().in_force(DAY).promotrot
BICYCLE = InKind("bicycle", 150_000, "a price list", date(2026, 10, 1))


def _kind(table: list[tuple[int, int]], **changes: Any) -> PredrawnType:
    """Return a type with 10,000 tickets at 0.50: 70 % of its takings are 350,000 cents."""
    tiers = tuple(Tier(Prize(cents), count) for cents, count in table)
    kind = replace(PredrawnType(Fraction(70), 10_000, 50, tiers), **changes)
    if "prize_percent" in changes or not kind.takings_cents:
        return kind
    exact = Fraction(100 * kind.prizes_cents, kind.takings_cents)
    return replace(kind, prize_percent=declarable(exact))


GOOD = [(100_000, 1), (5_000, 20), (500, 100), (50, 2_000)]


def _codes(kind: PredrawnType, figures: GameFigures = FIGURES, rules: bool = True) -> list[str]:
    return [fault.code for fault in faults(kind, figures, day=DAY, rules_published=rules)]


@pytest.mark.article("15.II.2", "15.III.5.1")
def test_exactly_seventy_per_cent_passes() -> None:
    kind = _kind(GOOD)
    assert (kind.takings_cents, kind.prizes_cents, kind.prize_count) == (500_000, 350_000, 2_121)
    assert _codes(kind) == []


@pytest.mark.article("15.III.6.2", "15.III.5.1")
def test_a_cent_below_is_refused() -> None:
    short = _kind([*GOOD[:-1], (50, 1_999), (49, 1)])
    assert short.prizes_cents == 349_999
    assert _codes(short) == ["prizes_too_low"]
    # 10,001 tickets at 21 cents: 70 % is 147,014.70, and 147,015 cents are needed [P13].
    takes = {"tickets": 10_001, "price_cents": 21}
    assert _codes(_kind([(21, 7_000), (14, 1)], **takes)) == ["prizes_too_low"]
    assert _codes(_kind([(21, 7_000), (15, 1)], **takes)) == []


@pytest.mark.article("15.III.4")
@pytest.mark.parametrize(
    ("price_cents", "fails"), [(19, True), (20, False), (1000, False), (1001, True)]
)
def test_price_limits_are_inclusive(price_cents: int, fails: bool) -> None:
    kind = _kind([(price_cents, 7_000)], price_cents=price_cents)
    assert _codes(kind) == (["price_out_of_range"] if fails else [])


@pytest.mark.article("15.II.2")
def test_more_prizes_than_tickets() -> None:
    assert _codes(_kind([(50, 10_000)])) == []
    assert _codes(_kind([(50, 10_001)])) == ["more_prizes_than_tickets"]


@pytest.mark.article("15.II.2")
@pytest.mark.parametrize(("percent", "fails"), [("70", False), ("70.01", True), ("69.99", True)])
def test_the_declared_percentage_is_the_table_s(percent: str, fails: bool) -> None:
    kind = _kind(GOOD, prize_percent=Fraction(percent))
    assert _codes(kind) == (["percentage_mismatch"] if fails else [])


@given(st.integers(0, 10**9), st.integers(1, 10**9))
def test_what_is_declared_never_promises_more(prizes: int, takings: int) -> None:
    exact = Fraction(100 * prizes, takings)
    assert 0 <= exact - declarable(exact) < Fraction(1, 100)
    assert (declarable(exact) * 100).denominator == 1


@pytest.mark.article("15.III.6.5")
@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"equivalent_cents": None}, "equivalent_missing"),
        ({"equivalent_cents": 0}, "equivalent_missing"),
        ({"source": "  "}, "equivalent_source_missing"),
        ({"valued_on": None}, "equivalent_day_missing"),
        ({"valued_on": date(2026, 11, 21)}, "equivalent_day_later"),
    ],
)
def test_a_prize_in_kind_needs_its_equivalent(changes: dict[str, Any], code: str) -> None:
    cash = (Tier(Prize(50), 7_000),)
    good = replace(_kind([]), tiers=(Tier(Prize(in_kind=BICYCLE), 1), *cash))
    good = replace(good, prize_percent=Fraction(100))
    assert good.prizes_cents == 500_000
    assert _codes(good) == []
    bad = replace(good, tiers=(Tier(Prize(in_kind=replace(BICYCLE, **changes)), 1), *cash))
    bad = replace(bad, prize_percent=Fraction(100 * bad.prizes_cents, bad.takings_cents))
    assert _codes(bad) == [code]


@pytest.mark.article("15.III.6.2")
def test_equivalents_count_in_the_percentage() -> None:
    with_bicycle = replace(_kind([(50, 4_000)]), prize_percent=Fraction(70))
    assert "prizes_too_low" in _codes(with_bicycle)
    tiers = (Tier(Prize(in_kind=BICYCLE), 1), *with_bicycle.tiers)
    assert _codes(replace(with_bicycle, tiers=tiers)) == []


@pytest.mark.article("15.II.2", "15.III.4", "15.III.5.2", "15.III.6.2", "15.III.6.5")
def test_every_failing_gate_is_named_at_once() -> None:
    nothing = InKind("bicycle", None, "", None)
    tiers = (
        Tier(Prize(in_kind=nothing), 1),
        Tier(Prize(0), 1),
        Tier(Prize(10), 0),
        Tier(Prize(20), 7),
        Tier(Prize(20), 4),
        Tier(Prize(5, BICYCLE), 1, extra=True),
        Tier(Prize(30), 1),
    )
    kind = PredrawnType(Fraction(0), 10, 1001, tiers)
    assert set(_codes(kind, rules=False)) == {
        "equivalent_missing",
        "equivalent_source_missing",
        "equivalent_day_missing",
        "prize_without_value",
        "prize_both_kinds",
        "tier_without_prizes",
        "tier_repeated",
        "extra_not_in_table",
        "extra_not_last",
        "price_out_of_range",
        "more_prizes_than_tickets",
        "prizes_too_low",
        "rules_unpublished",
        "percent_unpublished",
        "percentage_mismatch",
    }


def test_no_tickets_and_too_many_tiers() -> None:
    assert "no_tickets" in _codes(_kind([(50, 1)], tickets=0))
    table = [(cents, 1) for cents in range(50, 152)]
    assert _codes(_kind([(400_000, 1), *table[:99]])) == []
    assert _codes(_kind([(400_000, 1), *table[:100]])) == ["too_many_tiers"]


def test_negative_figures_are_no_emission_at_all() -> None:
    for changes in ({"tickets": -1}, {"price_cents": -1}):
        with pytest.raises(EmissionMalformed):
            _codes(_kind(GOOD, **changes))


@pytest.mark.article("15.III.6.2")
def test_extra_prizes_are_on_top_of_the_minimum() -> None:
    kind = _kind(GOOD)
    extra = replace(kind, tiers=(*kind.tiers, Tier(Prize(500), 40, extra=True)))
    assert (extra.prizes_cents, extra.extra_cents) == (350_000, 20_000)
    assert _codes(extra) == []
    short = _kind([*GOOD[:-1], (50, 1_999)])
    short = replace(short, tiers=(*short.tiers, Tier(Prize(500), 40, extra=True)))
    assert _codes(short) == ["prizes_too_low"]
    crowded = replace(kind, tiers=(*kind.tiers, Tier(Prize(500), 7_880, extra=True)))
    assert _codes(crowded) == ["more_prizes_than_tickets"]


def test_an_extra_prize_is_shown_as_its_equal() -> None:
    kind = _kind(GOOD)
    extra = replace(kind, tiers=(*kind.tiers, Tier(Prize(500), 40, extra=True)))
    assert [extra.shown_as(tier) for tier in range(6)] == [0, 1, 2, 3, 4, 3]
    for outside in (-1, 6):
        with pytest.raises(IndexError):
            extra.shown_as(outside)
