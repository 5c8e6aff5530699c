"""Draw the outcomes of choices, which know nothing of earlier prizes."""

from random import Random

import pytest

from promotrot.engine.game import ProbabilisticGame
from promotrot.engine.plays import Play, legal_acts, perform
from promotrot.engine.situations import DrawOutOfRange, Situation
from tests.support.promotrot.small_games import GAMES, HIDDEN


@pytest.mark.parametrize(("act", "draw"), [("open-1", 15), ("open-1", -1)])
def test_draws_out_of_range(act: str, draw: int) -> None:
    with pytest.raises(DrawOutOfRange):
        perform(HIDDEN, Play(), act, draw)
    small = perform(HIDDEN, Play(), act, 14)
    with pytest.raises(DrawOutOfRange):
        perform(HIDDEN, small, "keep", 1)


@pytest.mark.article("15.II.3")
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.code)
def test_outcomes_know_nothing_of_what_was_won_before(game: ProbabilisticGame) -> None:
    """[P3] The outcome of an act is a function of the play's own acts and a fresh integer. It is
    the same after a hundred top prizes of the emission as after none.
    """
    mechanic = game.kind.mechanic
    assert set(Play.__dataclass_fields__) == {"steps", "at"}
    assert set(Situation.__dataclass_fields__) == {"trail", "award"}
    first = next(iter(legal_acts(mechanic, Play())))
    bound = legal_acts(mechanic, Play())[first]
    draws = range(0, bound, max(1, bound // 97))
    before = [perform(mechanic, Play(), first, draw) for draw in draws]
    for seed in range(100):
        random, play = Random(seed), Play()
        while play.award is None:
            act, below = random.choice([*legal_acts(mechanic, play).items()])
            play = perform(mechanic, play, act, random.randrange(below))
    assert [perform(mechanic, Play(), first, draw) for draw in draws] == before
