"""Tell Promotrot's chapters of the race day in words and tables."""

from collections import Counter
from types import SimpleNamespace
from typing import Any, cast

import pytest

from core.tools.raceday.stage import Amiss, Stage
from promotrot.raceday import office, story

EMISSION: dict[str, Any] = {
    "reference": "small/1",
    "price_cents": 100,
    "tickets": 40,
    "extra_cents": 500,
    "tiers": [
        {"tier": 1, "value_cents": 400, "thing": "", "count": 2},
        {"tier": 2, "value_cents": 100, "thing": "bicycle", "count": None},
    ],
}
STATEMENT: dict[str, Any] = {
    "sold": 40,
    "unsold": 0,
    "takings_cents": 4_000,
    "awarded_cents": 2_800,
    "percent": "70",
    "minimum_percent": "70",
    "shortfall_cents": 0,
    "owed_cents": 0,
}


def stage() -> Stage:
    return cast(Stage, SimpleNamespace(staff={}))


def test_tiers_are_printed_with_the_prizes_won(capsys: pytest.CaptureFixture[str]) -> None:
    story._tiers(EMISSION, Counter({1: 2, 2: 7}))
    printed = capsys.readouterr().out
    assert "bicycle" in printed and "—" in printed
    assert "{" not in printed and "_" not in printed


def test_a_statement_is_printed_and_checked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(office, "emission_close", lambda staff, emission: STATEMENT)
    assert story._statement(stage(), EMISSION) == STATEMENT
    assert "70.00 %" in capsys.readouterr().out
    wrong = STATEMENT | {"awarded_cents": 2_799}
    monkeypatch.setattr(office, "emission_close", lambda staff, emission: wrong)
    with pytest.raises(Amiss, match="shortfall"):
        story._statement(stage(), EMISSION)


def test_an_emission_on_sale_names_its_extra_prizes(capsys: pytest.CaptureFixture[str]) -> None:
    story._offer(EMISSION)
    printed = capsys.readouterr().out
    assert "40 tickets" in printed
    assert "still owed" in printed
