from datetime import date
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.kernel.regulation import GameFigures
from promotrot.engine.rules import (
    EmissionMalformed,
    Plan,
    Prizes,
    approve,
    shortfall_cents,
    voucher_last_day,
)

SEVENTY = Fraction(70)
FIGURES = GameFigures(SEVENTY, 20, 1000, 30)
AMOUNTS = st.integers(0, 10**12)


def _plan(**changes: Any) -> Plan:
    plan: dict[str, Any] = {
        "price_cents": 100,
        "tickets": 1000,
        "prizes": [Prizes(50000, 1), Prizes(100, 200)],
        "rules_published": True,
        "percent_published": True,
    }
    return Plan(**{**plan, **changes})


@pytest.mark.article("15.III.6.6")
@pytest.mark.parametrize(
    ("issued", "last"),
    [
        (date(2024, 1, 30), date(2024, 2, 29)),
        (date(2024, 12, 2), date(2025, 1, 1)),
        (date(2024, 3, 30), date(2024, 4, 29)),
    ],
)
def test_the_day_of_issue_is_not_counted(issued: date, last: date) -> None:
    assert voucher_last_day(issued, 30) == last


def test_a_plan_at_exactly_seventy_per_cent() -> None:
    approval = approve(_plan(), FIGURES)
    assert (approval.prizes_total_cents, approval.takings_if_sold_cents) == (70000, 100000)
    assert approval.faults == ()


@pytest.mark.article("15.II.2", "15.III.4", "15.III.5.1", "15.III.5.2", "15.III.6.5")
@pytest.mark.parametrize(
    ("changes", "codes"),
    [
        ({"price_cents": 19, "tickets": 6000}, ["price_out_of_range", "prizes_too_low"]),
        ({"price_cents": 1001, "tickets": 1, "prizes": [Prizes(1001, 1)]}, ["price_out_of_range"]),
        ({"prizes": [Prizes(49999, 1), Prizes(100, 200)]}, ["prizes_too_low"]),
        ({"prizes": [Prizes(70, 1001)]}, ["more_prizes_than_tickets"]),
        ({"prizes": [Prizes(70000, 1), Prizes(None, 1)]}, ["equivalent_missing"]),
        ({"tickets": 0, "prizes": []}, ["no_tickets"]),
        ({"rules_published": False}, ["rules_unpublished"]),
        ({"percent_published": False}, ["percent_unpublished"]),
    ],
)
def test_each_fault_of_an_emission_is_named(changes: dict[str, Any], codes: list[str]) -> None:
    assert [fault.code for fault in approve(_plan(**changes), FIGURES).faults] == codes


@pytest.mark.parametrize(
    "changes",
    [
        {"price_cents": -1},
        {"tickets": -1},
        {"prizes": [Prizes(0, 1)]},
        {"prizes": [Prizes(-5, 1)]},
        {"prizes": [Prizes(5, -1)]},
    ],
)
def test_impossible_figures_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(EmissionMalformed):
        approve(_plan(**changes), FIGURES)


@given(AMOUNTS, AMOUNTS)
@pytest.mark.article("15.III.6.2")
def test_the_shortfall_is_just_enough(takings: int, awarded: int) -> None:
    owed = shortfall_cents(takings, awarded, SEVENTY)
    assert owed >= 0
    assert 100 * (awarded + owed) >= 70 * takings
    assert owed == 0 or 100 * (awarded + owed - 1) < 70 * takings
