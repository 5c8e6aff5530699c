"""Prizes of an emission reach the legal minimum, or the plan or statement is refused by name."""

from collections import Counter
from typing import Any

import pytest

from tests.support.verifying.load import verifier

statement, forms = verifier("statement"), verifier("forms")
TIERS = [
    {"cash_cents": 10_000, "count": 10, "extra": False},
    {"in_kind": {"equivalent_cents": 5_000}, "count": 120, "extra": False},
]


def plan(**changes: Any) -> dict[str, Any]:
    """Return a plan of 10,000 tickets at 1.00 in one block, with 70 % in prizes."""
    block = {"blocks": 1, "tickets": 10_000, "prizes": [10, 120]}
    return {"tickets": 10_000, "price_cents": 100, "tiers": TIERS, "classes": [block]} | changes


def closing(**changes: Any) -> dict[str, Any]:
    """Return the statement of that emission, sold out."""
    return {
        "tickets": 10_000,
        "sold": 10_000,
        "unsold": 0,
        "refunded": 0,
        "unfinished": 0,
        "price_cents": 100,
        "takings_cents": 1_000_000,
        "awarded_cents": 700_000,
        "extra_awarded_cents": 0,
        "unclaimed_cents": 0,
        "minimum_percent": "70",
        "percent": "70",
        "shortfall_cents": 0,
        "owed_before_cents": 0,
        "owed_cents": 0,
    } | changes


HELD = Counter({0: 9_870, 1: 10, 2: 120})


def test_amounts_are_counted_and_rounded_up() -> None:
    assert statement.value(TIERS[0]) == 10_000
    assert statement.value(TIERS[1]) == 5_000
    assert statement.worth([10, 120], TIERS, extra=False) == 700_000
    assert statement.worth([10, 120], TIERS, extra=True) == 0
    assert [statement.percent_up(cents, 70) for cents in (0, 1, 10, 11)] == [0, 1, 7, 8]


@pytest.mark.article("15.III.6.2")
def test_a_plan_and_statement_at_the_minimum_hold() -> None:
    statement.check_plan(plan(), 70)
    statement.check_closing(closing(), plan(), HELD)


@pytest.mark.parametrize(
    "changes, minimum, field",
    [
        ({}, 69, "minimum_percent"),
        ({}, 71, r"classes\[0\]\.prizes"),
        ({"tickets": 9_999}, 70, "tickets"),
        ({"classes": [{"blocks": 1, "tickets": 10_000, "prizes": [10]}]}, 70, "prizes"),
        ({"classes": [{"blocks": 2, "tickets": 5_000, "prizes": [5, 60]}]}, 70, "tickets"),
        ({"tiers": [TIERS[0] | {"count": 11}, TIERS[1]]}, 70, "minimum_percent"),
        ({"tiers": [TIERS[0] | {"count": 9}, TIERS[1]]}, 70, r"tiers\[0\]\.count"),
    ],
)
def test_a_plan_against_the_law_is_refused_by_name(changes: Any, minimum: int, field: str) -> None:
    with pytest.raises(forms.Refused, match=field):
        statement.check_plan(plan(**changes), minimum)


@pytest.mark.parametrize(
    "changes, field",
    [
        ({"sold": 9_999}, "sold"),
        ({"unsold": 1}, "unsold"),
        ({"price_cents": 200}, "price_cents"),
        ({"unfinished": 10_001}, "unfinished"),
        ({"awarded_cents": 690_000}, "awarded_cents"),
        ({"extra_awarded_cents": 1}, "extra_awarded_cents"),
        ({"percent": "71"}, "percent"),
        ({"takings_cents": 999_999}, "takings_cents"),
        ({"shortfall_cents": 1}, "shortfall_cents"),
        ({"owed_cents": 1}, "owed_cents"),
        ({"unclaimed_cents": 700_001}, "unclaimed_cents"),
    ],
)
def test_a_statement_that_does_not_follow_is_refused_by_name(changes: Any, field: str) -> None:
    with pytest.raises(forms.Refused, match=field):
        statement.check_closing(closing(**changes), plan(), HELD)


def test_a_shortfall_is_owed() -> None:
    held = Counter({0: 9_880, 2: 120})
    short = closing(awarded_cents=600_000, percent="60", shortfall_cents=100_000)
    statement.check_closing(short | {"owed_cents": 100_000}, plan(), held)
    with pytest.raises(forms.Refused, match="owed_cents"):
        statement.check_closing(short, plan(), held)
