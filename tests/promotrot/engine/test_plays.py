"""Play probabilistic games and check their situations, choices and outcomes."""

from dataclasses import replace
from math import sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promotrot.engine.game import ProbabilisticGame
from promotrot.engine.plays import (
    ActOutOfTurn,
    Play,
    legal_acts,
    perform,
    replay,
    standing,
)
from promotrot.engine.situations import Mechanic
from tests.support.promotrot.small_games import (
    GAMES,
    HIDDEN,
    LADDER,
    SMALL,
)


@pytest.mark.article("15.II.3")
def test_the_standing_prize_is_the_one_with_which_the_player_may_stop() -> None:
    """[P19]: nothing stands before the first act, nor on an empty place that must be changed."""
    start = Play()
    assert (standing(LADDER, start), standing(HIDDEN, start)) == (None, None)
    first = perform(LADDER, start, "trot", 0)
    assert standing(LADDER, first) == 3
    assert standing(LADDER, perform(LADDER, first, "trot", 0)) == 2
    opened = {tier: perform(HIDDEN, start, "open-1", draw) for draw, tier in ((0, 0), (14, 3))}
    assert {play.steps[-1].shown for play in opened.values()} == {0, 3}
    assert standing(HIDDEN, opened[0]) is None and standing(HIDDEN, opened[3]) == 3
    assert standing(LADDER, perform(LADDER, first, "trot", 1)) is None, "it is over"


@pytest.mark.article("15.II.3")
@pytest.mark.parametrize(
    ("acts", "act"),
    [
        ([], "keep"),
        ([], "open-0"),
        ([], "open-4"),
        ([], "stop"),
        ([], ""),
        ([("open-1", 14)], "open-1"),
        ([("open-1", 0)], "keep"),
        ([("open-1", 5)], "open-2"),
        ([("open-1", 14), ("keep", 0)], "open-2"),
        ([("open-1", 14), ("keep", 0)], "keep"),
    ],
)
def test_acts_out_of_turn_change_nothing(acts: list[tuple[str, int]], act: str) -> None:
    play = replay(HIDDEN, acts)
    before = replace(play)
    with pytest.raises(ActOutOfTurn) as refused:
        perform(HIDDEN, play, act, 0)
    assert refused.value.code == "act_out_of_turn"
    assert refused.value.data["legal"] == [*legal_acts(HIDDEN, play)]
    assert play == before


@given(st.sampled_from(SMALL), st.randoms(use_true_random=False))
def test_recorded_acts_lead_to_the_same_play(mechanic: Mechanic, random: Random) -> None:
    play = Play()
    while play.award is None:
        act, bound = random.choice([*legal_acts(mechanic, play).items()])
        play = perform(mechanic, play, act, random.randrange(bound))
        assert replay(mechanic, [(step.act, step.draw) for step in play.steps]) == play
        assert replay(mechanic, [(s.act, s.draw) for s in play.steps[:-1]]).award is None
    assert legal_acts(mechanic, play) == {}


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.code)
def test_plays_by_name_follow_the_same_chances_as_the_tree(game: ProbabilisticGame) -> None:
    """The simulation walks the tree; this test plays by the names of acts, as a terminal does."""
    random = Random(game.code)
    cents = [0, *(prize.value_cents for prize in game.kind.prizes)]
    won = []
    for _ in range(5_000):
        play = Play()
        while play.award is None:
            act, bound = random.choice([*legal_acts(game.kind.mechanic, play).items()])
            play = perform(game.kind.mechanic, play, act, random.randrange(bound))
        won.append(cents[play.award])
    mean = sum(won) / len(won)
    error = sqrt(sum((each - mean) ** 2 for each in won)) / len(won)
    exact = float(game.kind.percentages().random * game.kind.price_cents / 100)
    assert abs(mean - exact) <= 4.5 * error
