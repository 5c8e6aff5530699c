"""Play on ladders, and refuse those that cannot be played."""

import pytest

from promotrot.engine.mechanics.ladder import Ladder, Rung, Way
from promotrot.engine.plays import Play, legal_acts, perform, standing
from tests.support.promotrot.small_games import LADDER, PRIZES, fault_codes, type_of

TROT = Way("trot", 1, 2)


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
def test_no_prize_stands_where_a_player_may_stop_with_nothing() -> None:
    """[P19]: whose premises close on such a rung has the price back, and does not lose it."""
    steps = Ladder((Rung(None, (Way("trot", 9, 10),)), Rung(0, (Way("trot", 9, 10),)), Rung(1, ())))
    assert [*steps.faults(1)] == []
    play = perform(steps, Play(), "trot", 0)
    assert play.award is None and "stop" in legal_acts(steps, play)
    assert standing(steps, play) is None


@pytest.mark.parametrize(
    ("mechanic", "code", "place"),
    [
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
def test_definitions_that_cannot_be_played(mechanic: Ladder, code: str, place: str) -> None:
    faults = [*mechanic.faults(len(PRIZES))]
    assert (faults[0].code, faults[0].place) == (code, f"$.mechanic.{place}")
    assert code in fault_codes(type_of(mechanic)), "nothing of it is measured"
