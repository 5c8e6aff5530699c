"""Put games into words: what is otherwise than before stands beside what is now."""

from dataclasses import dataclass, replace
from typing import Any

import pytest
from django.utils.translation import override

from promotrot.admin.building import game_words
from promotrot.engine.game import Game
from promotrot.engine.game_json import read_game
from tests.support import emitting


def text_of(game: Game, before: Game | None = None) -> str:
    with override("en"):
        facts = game_words.facts(game, (before, "version 1") if before else None)
        return " | ".join(f"{title}: {value}" for title, value in facts)


def game_of(name: str, **changes: Any) -> Game:
    return read_game(emitting.document(name, **changes))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("lap-of-honour", "3 × 3 squares; 3 equal signs win"),
        ("lap-of-honour", "3 × Trophy"),
        ("letter-by-letter", "SULKY"),
        ("letter-by-letter", "7 × 1 letters of A, B, E"),
        ("six-at-the-post", "Electric bicycle (€1,500.00)"),
        ("five-stalls", "5 hidden places; up to 2 are opened; changed: nothing, €1.00, €0.50"),
        ("five-stalls", "0.08 %"),
        ("trotters-ladder", "Sprint: 19 % to rung 4, otherwise nothing"),
        ("trotters-ladder", "a ladder of 6 rungs"),
    ],
)
def test_a_game_is_told_in_words(name: str, words: str) -> None:
    page = text_of(game_of(name))
    assert words in page
    assert "version 1" not in page


def test_only_what_is_otherwise_is_marked() -> None:
    old = game_of("five-stalls")
    deals = emitting.document("five-stalls")["mechanic"]["deals"][:-1]
    deals += [{"weight": 7512, "contents": [5, 5, 5, 0, 0]}]
    mechanic = emitting.document("five-stalls")["mechanic"] | {"deals": deals}
    page = text_of(game_of("five-stalls", price_cents=99, mechanic=mechanic), old)
    assert "<strong>€0.99</strong>" in page and "(version 1: €1.00)" in page
    assert page.count("<strong>") == 3, "price, takings, and one of five sets"
    assert "<strong>" not in text_of(old, old)


def test_a_prize_that_is_there_no_more_stands_at_the_end() -> None:
    old = game_of("letter-by-letter")
    tiers = emitting.document("letter-by-letter")["tiers"][:-1]
    page = text_of(game_of("letter-by-letter", tiers=tiers), old)
    assert "(version 1: 33,500)" in page
    assert "<strong>–</strong>" in page


def test_a_game_of_the_other_kind_is_compared_too() -> None:
    page = text_of(game_of("five-stalls"), game_of("lap-of-honour"))
    assert "(version 1: Lap of Honour)" in page


@dataclass(frozen=True)
class Toss:
    """A mechanic for which no words were written."""

    sides: tuple[int, ...]

    def document(self) -> dict[str, Any]:
        return {"kind": "toss", "sides": [*self.sides]}


def test_a_mechanic_without_words_of_its_own_is_shown_by_its_definition() -> None:
    """Two persons can then decide about a game of a new mechanic, whose file they proposed."""
    old: Any = game_of("trotters-ladder")
    new = replace(old, kind=replace(old.kind, mechanic=Toss((1, 2, 0))))
    page = text_of(new, old)
    assert "how it is played: <strong>toss</strong>" in page
    assert "sides" in page and "[1,2,0]" in page
