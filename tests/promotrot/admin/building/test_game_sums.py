"""Compute beside the form of a game: nothing is rounded in favour of who asks for approval."""

from fractions import Fraction
from typing import Any

import pytest
from django.utils.translation import override

from promotrot.admin.building import game_sums
from promotrot.engine.game import PredrawnGame, ProbabilisticGame
from promotrot.engine.game_json import read_game
from tests.support import emitting

pytestmark = [pytest.mark.django_db, pytest.mark.article("15.III.6.2")]


def drawn(**changes: Any) -> dict[str, Any]:
    game = read_game(emitting.small(**changes))
    assert isinstance(game, PredrawnGame)
    with override("en"):
        return game_sums.predrawn(game)


@pytest.mark.parametrize(
    ("chance", "words"),
    [(Fraction(0), "–"), (Fraction(2, 5), "1 in 2.5"), (Fraction(1, 2000), "1 in 2,000")],
)
def test_a_chance_is_one_in_so_many(chance: Fraction, words: str) -> None:
    with override("en"):
        assert game_sums.one_in(chance) == words


def test_a_cent_less_than_the_law_is_not_enough_and_does_not_read_as_enough() -> None:
    whole = drawn()
    assert whole["enough"] and whole["law"].startswith("70 % ")
    assert "€28.00" in whole["table"] and "100" not in whole["law"]
    tiers = [{"cash_cents": 799, "count": 1}, {"cash_cents": 100, "count": 20}]
    short = drawn(tiers=tiers)
    assert not short["enough"] and short["law"].startswith("69.97 % ")
    assert not short["blocks"], "no block can reach it"


def test_the_blocks_are_those_of_the_plan() -> None:
    game = read_game(emitting.document("six-at-the-post"))
    assert isinstance(game, PredrawnGame)
    with override("en"):
        blocks = str(game_sums.predrawn(game)["blocks"])
    assert blocks.count("<tr>") == 3, "a head, blocks with a bicycle, blocks without"


def test_each_way_of_playing_has_its_mean_and_spread() -> None:
    game = read_game(emitting.document("five-stalls"))
    assert isinstance(game, ProbabilisticGame)
    with override("en"):
        sums = game_sums.probabilistic(game)
    exact = game.kind.percentages()
    assert sums["enough"]
    for percentage in (exact.worst, exact.random, exact.best):
        hundredths = int(percentage * 100)
        text = f"{hundredths // 100}.{hundredths % 100:02}".rstrip("0").rstrip(".")
        assert f"{text} %" in sums["ways"]
    assert "± €" in sums["ways"]
    assert sums["chances"].count("<tr>") == 8, "a head, six prizes, and nothing"
