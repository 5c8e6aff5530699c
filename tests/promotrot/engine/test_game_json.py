"""Read the document of a game, and refuse another one with the place of its first fault."""

import copy
import json
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import promotrot
from core.kernel.regulation import shipped as regulation
from promotrot.engine.game import Approval, Game, approve
from promotrot.engine.game_json import GameRefused, read_game, write_game

DAY = date(2026, 11, 20)


FIGURES = regulation().in_force(DAY).promotrot


FILES = sorted((Path(next(iter(promotrot.__path__))) / "games").glob("*.json"))


def _approve(game: Game) -> Approval:
    return approve(game, FIGURES, day=DAY)


def _document(code: str) -> Any:
    path = next(file for file in FILES if file.stem == code)
    return json.loads(path.read_text("utf-8"))


@pytest.mark.article("15.III.6.5")
def test_a_prize_in_kind_may_be_read_before_it_is_complete() -> None:
    document = _document("six-at-the-post")
    document["tiers"][0]["in_kind"] = {"description": "bicycle"}
    faults = {fault.code for fault in _approve(read_game(document)).faults}
    assert faults >= {
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
        ("lap-of-honour", _set("code", ""), "$.code"),
        ("lap-of-honour", _set("code", "lap of honour/1"), "$.code"),
        ("lap-of-honour", _set("code", "x" * 41), "$.code"),
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
        (
            "six-at-the-post",
            _set("tiers", 0, "in_kind", "description", "b" * 61),
            "$.tiers[0].in_kind.description",
        ),
        (
            "six-at-the-post",
            _set("tiers", 0, "in_kind", "description", ""),
            "$.tiers[0].in_kind.description",
        ),
        (
            "six-at-the-post",
            _set("tiers", 0, "in_kind", "source", "s" * 401),
            "$.tiers[0].in_kind.source",
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


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.stem))
def test_a_game_is_written_as_it_was_read(path: Path) -> None:
    document = json.loads(path.read_text("utf-8"))
    assert write_game(read_game(document)) == document


def test_what_is_usual_is_not_written_and_the_game_is_the_same() -> None:
    document = _document("trotters-ladder")
    document["prize_percent"] = "78.0"
    for rung in document["mechanic"]["rungs"]:
        for way in rung.get("ways", ()):
            way.setdefault("rise", 1)
            way.setdefault("fall", 0)
    game = read_game(document)
    assert write_game(game) == _document("trotters-ladder")
    half = _document("six-at-the-post")
    half["tiers"][0]["in_kind"] = {"description": "bicycle"}
    assert read_game(write_game(read_game(half))) == read_game(half)
