"""Play probabilistic games and check their situations, choices and outcomes."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promotrot.engine.game import ProbabilisticGame
from promotrot.engine.mechanics import (
    ActOutOfTurn,
    Deal,
    DrawOutOfRange,
    Hidden,
    Ladder,
    Mechanic,
    Play,
    Rung,
    Situation,
    Way,
    legal_acts,
    perform,
    replay,
    standing,
)
from tests.support.promotrot.small_games import (
    GAMES,
    HIDDEN,
    LADDER,
    PRIZES,
    SMALL,
    fault_codes,
    type_of,
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
def test_no_prize_stands_where_a_player_may_stop_with_nothing() -> None:
    """[P19]: whose premises close on such a rung has the price back, and does not lose it."""
    steps = Ladder((Rung(None, (Way("trot", 9, 10),)), Rung(0, (Way("trot", 9, 10),)), Rung(1, ())))
    assert [*steps.faults(1)] == []
    play = perform(steps, Play(), "trot", 0)
    assert play.award is None and "stop" in legal_acts(steps, play)
    assert standing(steps, play) is None


@pytest.mark.article("15.II.3", "15.III.2")
def test_hidden_open_then_keep_or_change() -> None:
    start = Play()
    assert legal_acts(HIDDEN, start) == {"open-1": 15, "open-2": 15, "open-3": 15}
    # Weights in the order of the tiers: nothing 5, top 1, second 4, third 5, of 15.
    uncovered = Counter(perform(HIDDEN, start, "open-2", draw).steps[0].shown for draw in range(15))
    assert uncovered == {0: 5, 1: 1, 2: 4, 3: 5}
    small = perform(HIDDEN, start, "open-2", 14)
    assert (small.award, small.steps[-1].shown) == (None, 3)
    assert legal_acts(HIDDEN, small) == {"open-1": 10, "open-3": 10, "keep": 1}
    assert perform(HIDDEN, small, "keep", 0).award == 3
    changed = [perform(HIDDEN, small, "open-1", draw).award for draw in range(10)]
    assert Counter(changed) == {0: 5, 1: 1, 2: 4}


@pytest.mark.article("15.II.3")
def test_hidden_nothing_must_be_changed_and_large_prizes_are_kept() -> None:
    empty = perform(HIDDEN, Play(), "open-1", 0)
    assert (empty.award, empty.steps[0].shown) == (None, 0)
    assert legal_acts(HIDDEN, empty) == {"open-2": 10, "open-3": 10}
    large = perform(HIDDEN, Play(), "open-1", 5)
    assert large.award == 1
    assert legal_acts(HIDDEN, large) == {}


@pytest.mark.article("15.II.3", "15.III.2")
def test_ladder_stop_or_go_on() -> None:
    assert legal_acts(LADDER, Play()) == {"trot": 5}
    assert perform(LADDER, Play(), "trot", 4).award == 0
    first = perform(LADDER, Play(), "trot", 3)
    assert (first.award, first.steps[0].shown) == (None, 1)
    assert legal_acts(LADDER, first) == {"trot": 2, "sprint": 4, "stop": 1}
    assert perform(LADDER, first, "stop", 0).award == 3
    assert perform(LADDER, first, "sprint", 0).award == 1
    fell = perform(LADDER, first, "sprint", 1)
    assert (fell.award, fell.steps[-1].shown) == (3, -1)
    second = perform(LADDER, first, "trot", 0)
    assert legal_acts(LADDER, second) == {"trot": 5, "stop": 1}
    assert [perform(LADDER, second, "trot", d).award for d in range(5)] == [1, 1, 3, 3, 3]


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


@pytest.mark.parametrize(("act", "draw"), [("open-1", 15), ("open-1", -1)])
def test_draws_out_of_range(act: str, draw: int) -> None:
    with pytest.raises(DrawOutOfRange):
        perform(HIDDEN, Play(), act, draw)
    small = perform(HIDDEN, Play(), act, 14)
    with pytest.raises(DrawOutOfRange):
        perform(HIDDEN, small, "keep", 1)


@given(st.sampled_from(SMALL), st.randoms(use_true_random=False))
def test_recorded_acts_lead_to_the_same_play(mechanic: Mechanic, random: Random) -> None:
    play = Play()
    while play.award is None:
        act, bound = random.choice([*legal_acts(mechanic, play).items()])
        play = perform(mechanic, play, act, random.randrange(bound))
        assert replay(mechanic, [(step.act, step.draw) for step in play.steps]) == play
        assert replay(mechanic, [(s.act, s.draw) for s in play.steps[:-1]]).award is None
    assert legal_acts(mechanic, play) == {}


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


@pytest.mark.article("15.II.3")
def test_hidden_places_are_drawn_as_if_laid_out_beforehand() -> None:
    """Drawing act by act has the chances of a deal that is laid out in random order beforehand."""
    mechanic = Hidden(3, frozenset({0, 2, 3}), (Deal(2, (1, 2, 3, 0)), Deal(1, (2, 2, 3, 3))))
    laid: Counter[tuple[int, ...]] = Counter()
    for deal in mechanic.deals:
        for order in product(range(4), repeat=3):
            if len(set(order)) == 3:
                laid[tuple(deal.contents[place] for place in order)] += deal.weight
    total = sum(laid.values())
    for trail, weight in laid.items():
        chance, at = Fraction(1), Situation()
        for tier in trail:
            if at.award is not None:
                break
            choice = next(c for c in mechanic.choices(at) if c.name == "open")
            outcome = next(o for o in choice.outcomes if o.shown == tier)
            chance *= Fraction(outcome.weight, choice.bound)
            at = outcome.then
        same = sum(w for other, w in laid.items() if other[: len(at.trail)] == at.trail)
        assert chance == Fraction(same, total), (trail, weight)


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


TROT = Way("trot", 1, 2)


@pytest.mark.parametrize(
    ("mechanic", "code", "place"),
    [
        (Hidden(0, frozenset({0}), (Deal(1, (1, 0)),)), "openings_impossible", "openings"),
        (Hidden(3, frozenset({0}), (Deal(1, (1, 0)),)), "openings_impossible", "openings"),
        (Hidden(4, frozenset({0}), (Deal(1, (1, 0) * 3),)), "openings_impossible", "openings"),
        (
            Hidden(1, frozenset({0}), (Deal(1, (1, 0)), Deal(1, (1, 0, 0)))),
            "deals_differ",
            "deals[1].contents",
        ),
        (Hidden(1, frozenset({0}), (Deal(0, (1, 0)),)), "deal_weightless", "deals[0].weight"),
        (Hidden(1, frozenset({0}), (Deal(1, (4, 0)),)), "prize_unknown", "deals[0].contents"),
        (Hidden(1, frozenset({0}), (Deal(1, (0,) * 17),)), "play_too_large", "deals"),
        (Hidden(1, frozenset({0}), (Deal(1, (1, 0)),) * 65), "play_too_large", "deals"),
        (Hidden(1, frozenset({0}), ()), "deal_missing", "deals"),
        (Ladder((Rung(1, ()),)), "ladder_length", "rungs"),
        (Ladder((Rung(None, ()), Rung(1, ()))), "rung_without_way", "rungs[0].ways"),
        (Ladder((Rung(None, (TROT,)), Rung(None, ()))), "top_without_prize", "rungs[1].stop"),
        (Ladder((Rung(None, (TROT,)), Rung(4, ()))), "prize_unknown", "rungs[1].stop"),
        *(
            (Ladder((Rung(None, (way,)), Rung(1, ()))), code, f"rungs[0].ways[0].{field}")
            for way, code, field in (
                (Way("trot", 3, 2), "chance_impossible", "up"),
                (Way("trot", 0, 2), "chance_impossible", "up"),
                (Way("trot", 1, 2, rise=2), "way_too_high", "rise"),
                (Way("trot", 1, 2, rise=0), "way_too_high", "rise"),
                (Way("trot", 1, 2, fall=4), "prize_unknown", "fall"),
                (Way("stop", 1, 2), "way_repeated", "name"),
                *(
                    (Way(name, 1, 2), "way_unnamed", "name")
                    for name in ("", "a" * 41, "galop ", "gal\nop", "galòp")
                ),
            )
        ),
        (
            Ladder((Rung(None, (TROT, Way("trot", 1, 3))), Rung(1, ()))),
            "way_repeated",
            "rungs[0].ways[1].name",
        ),
        (Ladder((Rung(None, (TROT,)), Rung(1, (TROT,)))), "top_with_way", "rungs[1].ways"),
    ],
    ids=repr,
)
def test_definitions_that_cannot_be_played(mechanic: Mechanic, code: str, place: str) -> None:
    faults = [*mechanic.faults(len(PRIZES))]
    assert (faults[0].code, faults[0].place) == (code, f"$.mechanic.{place}")
    assert code in fault_codes(type_of(mechanic)), "nothing of it is measured"
