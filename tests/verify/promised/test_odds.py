"""Compute a game's odds from outside, apart from the engine, and refuse what cannot be played."""

import copy
from fractions import Fraction
from typing import Any

import pytest

from promotrot.engine.game import ProbabilisticGame
from promotrot.engine.game_json import MECHANICS, read_game
from promotrot.engine.situations import Mechanic
from tests.support import emitting
from tests.support.promotrot.small_games import GAMES, SMALL, type_of
from tests.support.verifying.load import verifier

odds = verifier("promised.odds")
Refused = verifier("forms").Refused
Opening = dict[str, Any]


def opening_of(name: str) -> Opening:
    """Return what the opening of a shipped game says of its acts."""
    game = read_game(emitting.document(name))
    assert isinstance(game, ProbabilisticGame)
    return {
        "mode": "probabilistic",
        "price_cents": game.kind.price_cents,
        "minimum_percent": 70,
        "table": [{"cents": prize.value_cents, "thing": ""} for prize in game.kind.prizes],
        "mechanic": game.kind.mechanic.document(),
    }


def opening_with(mechanic: dict[str, Any], *cents: int, price_cents: int = 100) -> Opening:
    table = [{"cents": each, "thing": ""} for each in cents]
    return {"price_cents": price_cents, "table": table, "mechanic": mechanic}


def way(up: int, of: int, **more: int) -> dict[str, Any]:
    return {"name": "trot", "up": up, "of": of, "rise": 1, "fall": 0} | more


@pytest.mark.article("15.II.3")
@pytest.mark.parametrize("name", [game.code for game in GAMES])
def test_the_odds_of_a_shipped_game_give_what_it_declares(name: str) -> None:
    game = read_game(emitting.document(name))
    assert isinstance(game, ProbabilisticGame)
    opening = opening_of(name)
    assert odds.least_percent(opening) == game.kind.percentages().worst
    odds.check_acts(opening, [])
    declared = f"{float(game.kind.prize_percent):.2f} % by its odds"
    assert odds.described(opening) == f"probabilistic, {declared}"


@pytest.mark.article("15.II.3", "15.III.6.2")
@pytest.mark.parametrize("mechanic", SMALL)
def test_the_verifier_finds_what_the_engine_finds(mechanic: Mechanic) -> None:
    kind = type_of(mechanic)
    cents = [prize.value_cents for prize in kind.prizes]
    opening = opening_with(mechanic.document(), *cents, price_cents=kind.price_cents)
    assert odds.least_percent(opening) == kind.percentages().worst


def test_each_mechanic_is_compared_and_the_verifier_knows_each() -> None:
    compared = {type(mechanic) for mechanic in SMALL}
    assert compared == {*MECHANICS.values()}, "tests/support/promotrot/small_games.py needs one"
    unknown = MECHANICS.keys() - odds.KINDS.keys()
    assert unknown == set(), "verify/promised/odds.py would refuse each emission of it"


@pytest.mark.article("15.II.3")
def test_the_worst_choice_counts_whatever_the_best_one_gives() -> None:
    rungs = [
        {"stop": None, "ways": [way(1, 2)]},
        {"stop": 2, "ways": [way(1, 4, fall=1), way(3, 4)]},
        {"stop": 1, "ways": []},
    ]
    # On the middle rung: 80, or a quarter of 200 and of three parts of 200, or three quarters.
    ladder = {"kind": "ladder", "rungs": rungs}
    assert odds.least_percent(opening_with(ladder, 200, 80)) == 40
    deals = [{"weight": 1, "contents": [1, 2, 0]}, {"weight": 3, "contents": [2, 2, 0]}]
    hidden = {"kind": "hidden", "openings": 2, "changeable": [0, 2], "deals": deals}
    game = read_game(
        emitting.document(
            "five-stalls",
            price_cents=100,
            prizes=[{"cash_cents": 1_000}, {"cash_cents": 50}],
            mechanic=hidden,
        )
    )
    assert isinstance(game, ProbabilisticGame)
    worst = game.kind.percentages().worst
    assert odds.least_percent(opening_with(hidden, 1_000, 50)) == worst
    assert odds.least_percent(opening_with(hidden | {"openings": 1}, 1_000, 50)) == Fraction(225, 2)


@pytest.mark.article("15.III.6.2")
def test_odds_below_the_minimum_are_refused() -> None:
    opening = opening_of("trotters-ladder")
    lower = copy.deepcopy(opening)
    lower["mechanic"]["rungs"][0]["ways"][0]["up"] = 34
    with pytest.raises(Refused, match=r"opening\.mechanic: it gives 68\.00 %"):
        odds.check_acts(lower, [])
    with pytest.raises(Refused, match=r"opening\.mechanic"):
        odds.check_acts(opening | {"minimum_percent": "78.1"}, [])
    lower["mechanic"]["rungs"][0]["ways"][0]["up"] = 35
    odds.check_acts(lower | {"minimum_percent": 0}, [])
    predrawn = [{"extra": False}]
    with pytest.raises(Refused, match=r"opening\.mode"):
        odds.check_acts(opening, predrawn)
    for changed in ({"table": [{}]}, {"mechanic": {}}):
        true = {"mode": "predrawn", "table": [], "mechanic": None}
        odds.check_acts(true, predrawn)
        with pytest.raises(Refused, match=next(iter(changed))):
            odds.check_acts(true | changed, predrawn)


LADDER = {"kind": "ladder", "rungs": [{"stop": None, "ways": [way(1, 2)]}, {"stop": 1, "ways": []}]}
DEALS = [{"weight": 1, "contents": [1, 0]}]
HIDDEN = {"kind": "hidden", "openings": 1, "changeable": [], "deals": DEALS}


@pytest.mark.parametrize(
    "mechanic",
    [
        None,
        {"kind": "wheel"},
        LADDER | {"rungs": []},
        LADDER | {"rungs": [{"stop": None, "ways": []}]},
        LADDER | {"rungs": [{"stop": 1, "ways": []}, {"stop": 1, "ways": []}]},
        LADDER | {"rungs": [{"stop": None, "ways": [way(1, 2)]}]},
        LADDER | {"rungs": [{"stop": None, "ways": [way(0, 2)]}, {"stop": 1, "ways": []}]},
        LADDER | {"rungs": [{"stop": None, "ways": [way(3, 2)]}, {"stop": 1, "ways": []}]},
        LADDER | {"rungs": [{"stop": None, "ways": [way(1, 2, rise=0)]}, {"stop": 1, "ways": []}]},
        LADDER | {"rungs": [{"stop": None, "ways": [way(1, 2, fall=2)]}, {"stop": 1, "ways": []}]},
        LADDER | {"rungs": [{"stop": None, "ways": [way(1, 2)]}, {"stop": 2, "ways": []}]},
        HIDDEN | {"deals": []},
        HIDDEN | {"openings": 0},
        HIDDEN | {"openings": 3},
        HIDDEN | {"deals": [*DEALS, {"weight": 1, "contents": [1]}]},
        HIDDEN | {"deals": [{"weight": 0, "contents": [1, 0]}]},
        HIDDEN | {"deals": [{"weight": 1, "contents": [2, 0]}]},
        HIDDEN | {"deals": [{"weight": 1, "contents": []}]},
        HIDDEN | {"deals": [{"weight": 1, "contents": [0] * 17}]},
    ],
)
def test_what_cannot_be_played_is_refused(mechanic: Any) -> None:
    for true in (LADDER, HIDDEN):
        assert odds.least_percent(opening_with(true, 150)) == 75
    with pytest.raises(Refused, match=r"^promotrot\.opening\.mechanic"):
        odds.least_percent(opening_with(mechanic, 150))
    with pytest.raises(Refused, match=r"opening\.price_cents"):
        odds.least_percent(opening_with(LADDER, 150, price_cents=0))
