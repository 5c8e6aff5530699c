""""""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import promotrot
from core.kernel.languages import LANGUAGES
from core.kernel.regulation import shipped as regulation
from promotrot.engine.game import Approval, Game, PredrawnGame, approve
from promotrot.engine.game_json import read_game, shipped
from promotrot.engine.prize_table import declarable

DAY = date(2026, 11, 20)


FIGURES = regulation().in_force(DAY).promotrot


GAMES = shipped()


FILES = sorted((Path(next(iter(promotrot.__path__))) / "games").glob("*.json"))


def _approve(game: Game) -> Approval:
    return approve(game, FIGURES, day=DAY)


def _document(code: str) -> Any:
    path = next(file for file in FILES if file.stem == code)
    return json.loads(path.read_text("utf-8"))


@pytest.mark.article("15.II.2", "15.II.3", "15.III.4", "15.III.5.1", "15.III.6.2")
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.code)
def test_every_shipped_game_may_be_approved(game: Game) -> None:
    approval = _approve(game)
    assert approval.faults == ()
    assert approval.percentages is not None
    assert 70 <= approval.percentages.worst <= approval.percentages.random
    assert approval.percentages.random <= approval.percentages.best < 100
    assert (approval.plan is not None) == isinstance(game, PredrawnGame)


def test_the_shipped_games_are_those_asked_for() -> None:
    predrawn = [game for game in GAMES if isinstance(game, PredrawnGame)]
    assert len(predrawn) >= 2
    assert len(GAMES) - len(predrawn) >= 2
    assert {game.kind.price_cents for game in GAMES} == {20, 50, 100}
    assert any(
        game.kind.tickets == 600_000
        and game.kind.price_cents == 50
        and max(prize.value_cents for prize in game.kind.prizes) == 50_000
        for game in predrawn
    )
    assert any(prize.in_kind is not None for game in GAMES for prize in game.kind.prizes)
    assert [game.code for game in GAMES] == [file.stem for file in FILES]


@pytest.mark.article("15.III.5.2")
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.code)
def test_names_and_rules_are_in_every_language(game: Game) -> None:
    assert set(game.texts) == set(LANGUAGES)
    names = [game.texts[language].name for language in LANGUAGES]
    assert len({*names}) == 3
    assert len({len(game.texts[language].rules) for language in LANGUAGES}) == 1


@pytest.mark.article("15.III.5.2")
@pytest.mark.parametrize(
    ("code", "spoil", "faults"),
    [
        ("five-stalls", lambda t: t.pop("es"), {"text_missing", "rules_unpublished"}),
        ("five-stalls", lambda t: t["en"].update(name=" "), {"text_missing"}),
        ("five-stalls", lambda t: t["en"]["labels"].pop("keep"), {"text_missing"}),
        ("trotters-ladder", lambda t: t["ca"]["labels"].pop("sprint"), {"text_missing"}),
        ("lap-of-honour", lambda t: t["ca"]["labels"].pop("bridle"), {"text_missing"}),
        ("six-at-the-post", lambda t: t["es"].pop("prizes"), {"text_missing"}),
        ("six-at-the-post", lambda t: t["es"]["prizes"].update(bicycle=""), {"text_missing"}),
    ],
)
def test_missing_texts_stand_in_the_way(
    code: str, spoil: Callable[[Any], object], faults: set[str]
) -> None:
    document = _document(code)
    spoil(document["texts"])
    approval = _approve(read_game(document))
    assert {fault.code for fault in approval.faults} == faults
    assert approval.plan is None
    assert approval.percentages is None


@pytest.mark.article("15.II.2", "15.III.6.2")
def test_type_presentation_and_plan_are_judged_together() -> None:
    game = next(g for g in GAMES if g.code == "lap-of-honour")
    assert isinstance(game, PredrawnGame)
    fewer = replace(game.kind, tiers=game.kind.tiers[:-1])
    faults = {fault.code for fault in _approve(replace(game, kind=fewer)).faults}
    assert faults == {"prizes_too_low", "percentage_mismatch", "picture_tiers_differ"}
    small = {fault.code for fault in _approve(replace(game, block_tickets=9_999)).faults}
    assert small == {"block_size_refused"}
    # 420 prizes of 500 euros are seven for each of 60 blocks, but a block any larger needs eight.
    first, *others = game.kind.tiers
    tiers = (replace(first, count=420), *(replace(tier, count=60) for tier in others))
    exact = Fraction(100 * sum(t.total_cents for t in tiers), game.kind.takings_cents)
    big = replace(game.kind, tiers=tiers, prize_percent=declarable(exact))
    assert _approve(replace(game, kind=big)).faults == ()
    approval = _approve(replace(game, kind=big, block_tickets=10_500))
    assert [fault.code for fault in approval.faults] == ["plan_impossible"]
