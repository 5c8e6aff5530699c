import copy
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import promotrot
from core.kernel.regulation import shipped as regulation
from promotrot.engine.game import LANGUAGES, Approval, Game, PredrawnGame, approve
from promotrot.engine.game_json import GameRefused, read_game, shipped
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
    found = {fault.code for fault in _approve(replace(game, kind=fewer)).faults}
    assert found == {"prizes_too_low", "percentage_mismatch", "picture_tiers_differ"}
    small = {fault.code for fault in _approve(replace(game, block_tickets=9_999)).faults}
    assert small == {"block_size_refused"}
    # 420 prizes of 500 euros are seven for each of 60 blocks, but a block any larger needs eight.
    first, *others = game.kind.tiers
    tiers = (replace(first, count=420), *(replace(tier, count=1) for tier in others))
    exact = Fraction(100 * sum(t.total_cents for t in tiers), game.kind.takings_cents)
    big = replace(game.kind, tiers=tiers, prize_percent=declarable(exact))
    assert _approve(replace(game, kind=big)).faults == ()
    approval = _approve(replace(game, kind=big, block_tickets=10_500))
    assert [fault.code for fault in approval.faults] == ["plan_impossible"]


@pytest.mark.article("15.III.6.5")
def test_a_prize_in_kind_may_be_read_before_it_is_complete() -> None:
    document = _document("six-at-the-post")
    document["tiers"][0]["in_kind"] = {"description": "bicycle"}
    found = {fault.code for fault in _approve(read_game(document)).faults}
    assert found >= {
        "equivalent_missing",
        "equivalent_source_missing",
        "equivalent_day_missing",
        "prizes_too_low",
    }


def _set(*path: Any) -> Callable[[Any], None]:
    *way, last, value = path

    def change(document: Any) -> None:
        for key in way:
            document = document[key]
        document[last] = value

    return change


@pytest.mark.parametrize(
    ("code", "change", "place"),
    [
        ("lap-of-honour", _set("format", "promotrot-game/2"), "$.format"),
        ("lap-of-honour", _set("mode", "sporadic"), "$.mode"),
        ("lap-of-honour", _set("surprise", 1), "$.surprise"),
        ("lap-of-honour", _set("price_cents", "50"), "$.price_cents"),
        ("lap-of-honour", _set("price_cents", 50.0), "$.price_cents"),
        ("lap-of-honour", _set("price_cents", True), "$.price_cents"),
        ("lap-of-honour", _set("tickets", -1), "$.tickets"),
        ("lap-of-honour", _set("tickets", 10**10), "$.tickets"),
        ("lap-of-honour", _set("prize_percent", "seventy"), "$.prize_percent"),
        ("lap-of-honour", _set("prize_percent", 70.5), "$.prize_percent"),
        ("lap-of-honour", _set("tiers", []), "$.tiers"),
        ("lap-of-honour", _set("tiers", 3, 7), "$.tiers[3]"),
        ("lap-of-honour", _set("tiers", 3, {"cash_cents": 1}), "$.tiers[3].count"),
        ("lap-of-honour", _set("tiers", 3, "coins", 1), "$.tiers[3].coins"),
        ("lap-of-honour", _set("presentation", "kind", "film"), "$.presentation.kind"),
        ("lap-of-honour", _set("presentation", "rows", 9), "$.presentation.rows"),
        ("lap-of-honour", _set("presentation", "signs", 2, 7), "$.presentation.signs[2]"),
        ("lap-of-honour", _set("presentation", {}), "$.presentation.kind"),
        ("lap-of-honour", _set("presentation", None), "$.presentation"),
        ("lap-of-honour", _set("texts", "ca", "rules", "one"), "$.texts.ca.rules"),
        ("lap-of-honour", _set("texts", "ca", "labels", "cap", 3), "$.texts.ca.labels.cap"),
        ("six-at-the-post", _set("presentation", "highest", 100), "$.presentation.highest"),
        (
            "six-at-the-post",
            _set("tiers", 0, "in_kind", "valued_on", "yesterday"),
            "$.tiers[0].in_kind.valued_on",
        ),
        ("five-stalls", _set("mechanic", "kind", "wheel"), "$.mechanic.kind"),
        ("five-stalls", _set("mechanic", "deals", 0, "weight", -1), "$.mechanic.deals[0].weight"),
        (
            "five-stalls",
            _set("mechanic", "deals", 0, "contents", 1),
            "$.mechanic.deals[0].contents",
        ),
        ("five-stalls", _set("block_tickets", 10_000), "$.block_tickets"),
        ("trotters-ladder", _set("mechanic", "rungs", 1, "stop", -1), "$.mechanic.rungs[1].stop"),
        (
            "trotters-ladder",
            _set("mechanic", "rungs", 0, "ways", 0, "of", None),
            "$.mechanic.rungs[0].ways[0].of",
        ),
    ],
)
def test_documents_refused_say_where(code: str, change: Callable[[Any], None], place: str) -> None:
    document = copy.deepcopy(_document(code))
    read_game(document)
    change(document)
    with pytest.raises(GameRefused) as refused:
        read_game(document)
    assert refused.value.data["place"] == place
    assert refused.value.code == "game_refused"


@pytest.mark.parametrize("document", [None, [], "game", 7, {}, {1: 2}])
def test_what_is_no_document_at_all(document: object) -> None:
    with pytest.raises(GameRefused):
        read_game(document)
