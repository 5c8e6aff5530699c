from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from core.kernel.regulation import GameFigures
from lototrot.engine.bet_type import shipped
from lototrot.engine.gates import OpeningFacts, missing_gates

BET_TYPE = shipped("lototrot", minimum_prize_percent=Fraction(60))
FIGURES = GameFigures(Fraction(60), 50, 600, 30)
READY = OpeningFacts(
    federation_approver="Federació Balear de Trot",
    federation_reference="2024/117",
    federation_dated=True,
    programme_published=True,
    runners_by_race=(8, 9, 10, 8, 12, 7, 8),
    price_cents=150,
    max_bets=10_000,
    rules_published=True,
    percent_published=True,
    ticket_model_authorisation="model 3",
    ticket_layout_authorised=True,
    internal_bet_types=frozenset({"trio"}),
    correction_window_s=0,
    correction_approval="",
    has_schedule=True,
    figures_of_regulation=True,
)


def test_with_everything_on_record_it_may_open() -> None:
    assert missing_gates(READY, BET_TYPE, FIGURES) == ()
    approved = replace(READY, correction_window_s=60, correction_approval="2024/9")
    assert missing_gates(approved, BET_TYPE, FIGURES) == ()


@pytest.mark.article("14.I.1", "14.II.2", "14.III.2", "14.III.5.2", "14.III.6.2", "14.III.7")
@pytest.mark.parametrize(
    ("changes", "code", "article"),
    [
        ({"internal_bet_types": frozenset({"lototrot"})}, "bet_type_internal", "14.I.1"),
        ({"internal_bet_types": None}, "internal_bets_unlisted", "14.I.1"),
        ({"ticket_layout_authorised": False}, "ticket_layout_changed", "14.II.2"),
        ({"price_cents": 49}, "price_out_of_range", "14.III.2"),
        ({"price_cents": 601}, "price_out_of_range", "14.III.2"),
        ({"max_bets": 0}, "max_bets_missing", "14.II.2"),
        ({"runners_by_race": (8,) * 6}, "wrong_race_count", "14.III.7"),
        ({"runners_by_race": (8, 0, 8, 8, 8, 8, 8)}, "runners_missing", "14.III.5.2"),
        ({"ticket_model_authorisation": " "}, "ticket_model_missing", "14.II.2"),
        ({"correction_window_s": 1}, "correction_window_unapproved", "14.III.1.4"),
        ({"figures_of_regulation": False}, "figures_not_of_regulation", "14.III.7"),
        ({"has_schedule": False}, "schedule_missing", "14.III.4"),
        ({"federation_approver": ""}, "federation_approval_missing", "14.III.5.2"),
        ({"federation_reference": ""}, "federation_approval_missing", "14.III.5.2"),
        ({"federation_dated": False}, "federation_approval_missing", "14.III.5.2"),
        ({"programme_published": False}, "programme_unpublished", "14.III.5.2"),
        ({"rules_published": False}, "rules_unpublished", "14.III.6.2"),
        ({"percent_published": False}, "percent_unpublished", "14.III.6.2"),
    ],
)
def test_each_missing_gate_is_named(changes: dict[str, Any], code: str, article: str) -> None:
    missing = missing_gates(replace(READY, **changes), BET_TYPE, FIGURES)
    assert [(gate.code, gate.article) for gate in missing] == [(code, article)]


@pytest.mark.article("14.III.6.1")
def test_the_percentage_is_tested_against_the_figures_of_the_day() -> None:
    stricter = replace(FIGURES, minimum_prize_percent=Fraction(61))
    missing = missing_gates(READY, BET_TYPE, stricter)
    assert [gate.code for gate in missing] == ["prize_percent_too_low"]


def test_all_missing_gates_are_named_at_once() -> None:
    nothing = replace(
        READY,
        federation_approver="",
        programme_published=False,
        runners_by_race=(),
        price_cents=0,
        rules_published=False,
        percent_published=False,
        ticket_model_authorisation="",
    )
    assert len(missing_gates(nothing, BET_TYPE, FIGURES)) == 7
