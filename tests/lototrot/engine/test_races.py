from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lototrot.engine.races import (
    NoDraw,
    NoResult,
    NumberNotInProgramme,
    Outcome,
    Race,
    RaceMalformed,
    WrongWinner,
    draw_field,
    mask_of,
    numbers_of,
    right_mask,
    substitute,
)

EIGHT = tuple(range(1, 9))


def _race(*, programme: tuple[int, ...] = EIGHT, outcome: str = "run", **states: Any) -> Race:
    sets = {name: frozenset(numbers) for name, numbers in states.items()}
    return Race(programme, outcome=Outcome(outcome), **sets)


@st.composite
def races(draw: st.DrawFn) -> Race:
    """Any race that does not contradict itself, with a result it can have."""
    programme = tuple(sorted(draw(st.sets(st.integers(1, 31), min_size=1))))
    fates = {n: draw(st.sampled_from("wwldsss")) for n in programme}
    outcome = draw(st.sampled_from(Outcome))
    withdrawn = frozenset(n for n in programme if fates[n] == "w")
    left = frozenset(n for n in programme if fates[n] == "l")
    out = frozenset(n for n in programme if fates[n] == "d")
    assume(outcome is Outcome.NOT_RUN or len(withdrawn | left) < len(programme))
    race = Race(programme, withdrawn, left, out, outcome=outcome)
    drawn = outcome is not Outcome.RUN
    possible = sorted(race.field if drawn else set(race.started) - out)
    assume(possible)
    most = 1 if drawn else 3
    winners = draw(st.sets(st.sampled_from(possible), min_size=1, max_size=most))
    return Race(programme, withdrawn, left, out, frozenset(winners), outcome)


@pytest.mark.article("14.III.5.4.1")
def test_the_trace_of_a_bet() -> None:
    assert substitute(4, _race(withdrawn={4, 5})) == (4, 5, 6)
    assert substitute(8, _race(withdrawn={8, 1})) == (8, 1, 2)
    assert substitute(3, _race(withdrawn={3}, left={4})) == (3, 4, 5)
    assert substitute(3, _race(programme=(1, 3, 9), withdrawn={3})) == (3, 9)
    assert substitute(2, _race(left={2})) == (2,)
    assert substitute(2, _race(disqualified={2})) == (2,)


@pytest.mark.article("14.III.5.4.2")
def test_a_race_not_run_with_everyone_withdrawn_is_drawn_among_all() -> None:
    race = _race(programme=(1, 2), withdrawn={1, 2}, outcome="not_run", winners={2})
    assert substitute(1, race) == (1,)
    assert draw_field(race) == (1, 2)
    assert right_mask(race) == 0b10


@given(races())
@pytest.mark.article("14.III.5.4.1")
def test_every_bet_counts_on_exactly_one_number(race: Race) -> None:
    for number in race.programme:
        trace = substitute(number, race)
        assert trace[0] == number
        assert len(set(trace)) == len(trace)
        if number not in race.withdrawn:
            assert trace == (number,)
        else:
            assert trace[-1] in race.field
            assert not set(trace[:-1]) & set(race.field)
            # Up from the number, once round the programme at the most, without leaving one out.
            start = race.programme.index(number)
            around = (race.programme * 2)[start : start + len(trace)]
            assert trace == around


@given(races())
@pytest.mark.article("14.III.5.4.1", "14.III.9.9")
def test_the_right_numbers_are_those_that_end_on_a_winner(race: Race) -> None:
    right = set(numbers_of(right_mask(race)))
    assert race.winners <= right <= set(race.programme)
    assert right == {n for n in race.programme if substitute(n, race)[-1] in race.winners}
    assert not right & (race.left - race.winners)


@given(races())
@pytest.mark.article("14.III.5.4.2", "14.III.5.4.3")
def test_the_draw_is_among_those_that_can_receive_bets(race: Race) -> None:
    if race.outcome is Outcome.RUN:
        with pytest.raises(NoDraw):
            draw_field(race)
        return
    field = draw_field(race)
    assert field == race.field
    assert field
    if race.outcome is Outcome.NOT_RUN:
        assert set(field) == set(race.programme) - race.withdrawn or not (
            set(race.programme) - race.withdrawn
        )
    else:
        assert set(field) == set(race.programme) - race.withdrawn - race.left


@pytest.mark.article("14.III.5.4.3")
def test_the_disqualified_are_in_the_draw_of_a_suspended_race() -> None:
    race = _race(withdrawn={1}, left={2}, disqualified={3}, outcome="suspended", winners={3})
    assert draw_field(race) == (3, 4, 5, 6, 7, 8)
    assert numbers_of(right_mask(race)) == (1, 3)


@pytest.mark.article("14.III.9.9")
def test_a_substitute_may_be_a_dead_heater() -> None:
    assert numbers_of(right_mask(_race(withdrawn={4}, winners={2, 5}))) == (2, 4, 5)


@pytest.mark.parametrize(
    "states",
    [
        {"winners": {1}, "withdrawn": {1}},
        {"winners": {1}, "left": {1}},
        {"winners": {1}, "disqualified": {1}},
        {"winners": {1, 2}, "outcome": "not_run"},
        {"winners": {1}, "withdrawn": {1}, "outcome": "not_run"},
        {"winners": {1}, "left": {1}, "outcome": "suspended"},
        {"winners": {1}, "withdrawn": {1}, "outcome": "all_disqualified"},
    ],
)
def test_an_impossible_winner_is_refused(states: dict[str, Any]) -> None:
    with pytest.raises(WrongWinner):
        right_mask(_race(**states))


def test_without_winner_there_is_no_result() -> None:
    with pytest.raises(NoResult):
        right_mask(_race())


@pytest.mark.parametrize(
    "states",
    [
        {"programme": ()},
        {"programme": (2, 1)},
        {"programme": (1, 1)},
        {"programme": (0, 1)},
        {"programme": (31, 32)},
        {"withdrawn": {9}},
        {"winners": {9}},
        {"withdrawn": {1}, "left": {1}},
        {"withdrawn": {1}, "disqualified": {1}},
        {"left": {1}, "disqualified": {1}},
        {"withdrawn": {*EIGHT}},
        {"withdrawn": {*EIGHT}, "outcome": "suspended"},
    ],
)
def test_a_race_that_contradicts_itself_is_refused(states: dict[str, Any]) -> None:
    with pytest.raises(RaceMalformed):
        _race(**states)


def test_a_number_outside_the_programme_has_no_substitute() -> None:
    with pytest.raises(NumberNotInProgramme):
        substitute(9, _race())


@given(st.sets(st.integers(1, 31)))
def test_a_mask_is_its_numbers(numbers: set[int]) -> None:
    assert numbers_of(mask_of(numbers)) == tuple(sorted(numbers))
    assert mask_of(numbers) < 2**31
