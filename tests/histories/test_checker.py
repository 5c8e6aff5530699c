"""Tests of the checker: histories that some order explains, and those that none does."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import permutations
from random import Random

import pytest

from tests.histories import checker
from tests.histories.acts import NOON, SECOND, act, seen, sold
from tests.histories.checker import Illegal, Undecided, fault_in_words, linearizable, smallest
from tests.histories.contest import ContestModel
from tests.histories.history import Act, Recorder, about

CONTEST = ContestModel(NOON + 60 * SECOND, 100)


@dataclass(frozen=True)
class Register:
    """One value: a write sets it, a read gives it."""

    first: str = "0"

    def step(self, state: str, act: Act) -> Iterable[str]:
        if act.kind == "write":
            return [act.subject]
        if act.answer is not None and act.answer.outcome != state:
            raise Illegal(f"it is {state}")
        return [state]


def wrote(value: str, asked: float, answered: float) -> Act:
    return act("write", value, "written", asked=asked, answered=answered)


def got(value: str, asked: float, answered: float) -> Act:
    return act("read", "", value, asked=asked, answered=answered)


def test_acts_at_once_may_take_effect_in_any_order() -> None:
    assert linearizable(Register(), [wrote("1", 0, 9), got("0", 1, 8), got("1", 2, 7)])
    assert linearizable(Register(), [wrote("1", 0, 9), wrote("2", 0, 9), got("1", 10, 11)])


def test_a_value_is_never_seen_to_go_back() -> None:
    assert not linearizable(Register(), [wrote("1", 0, 9), got("1", 1, 2), got("0", 3, 4)])


def test_what_was_answered_before_is_before() -> None:
    assert not linearizable(Register(), [wrote("1", 0, 1), got("0", 2, 3)])


def test_an_act_without_an_answer_happens_late_or_never() -> None:
    lost = act("write", "1", asked=0)
    assert linearizable(Register(), [lost, got("0", 5, 6), got("1", 7, 8)])
    assert linearizable(Register(), [lost, got("0", 5, 6), got("0", 7, 8)])
    assert not linearizable(Register(), [lost, got("1", 5, 6), got("0", 7, 8)])
    assert not linearizable(Register(), [got("1", 5, 6), act("write", "1", asked=7)])


def test_it_agrees_with_trying_every_order() -> None:
    """On random histories of five acts, most of which nothing explains."""
    rng, verdicts = Random(23), set()
    for _ in range(60):
        acts = []
        for _ in range(4):
            asked = rng.uniform(0, 10)
            make, value = rng.choice((wrote, got)), rng.choice("012")
            acts.append(make(value, asked, asked + rng.uniform(0, 6)))
        acts.append(act("write", "2", asked=rng.uniform(0, 10)))
        verdicts.add(explained := linearizable(Register(), acts))
        assert explained is any(_explains(order) for order in _orders(acts))
    assert verdicts == {True, False}


def _orders(acts: list[Act]) -> Iterable[tuple[Act, ...]]:
    yield from permutations(acts)
    yield from permutations(acts[:-1])  # the last has no answer


def _explains(order: tuple[Act, ...]) -> bool:
    if any(
        later.answered_ms < earlier.asked_ms
        for n, earlier in enumerate(order)
        for later in order[n + 1 :]
    ):
        return False
    state = "0"
    for each in order:
        try:
            (state,) = Register().step(state, each)
        except Illegal:
            return False
    return True


def test_it_gives_up_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checker, "MOST_TRIED", 3)
    with pytest.raises(Undecided):
        linearizable(Register(), [wrote(str(n), 0, 9) for n in range(6)] + [got("9", 0, 9)])


def test_the_smallest_part_is_what_cannot_be() -> None:
    """A sale after the closing, among twelve that are right."""
    acts = [sold(f"T{n}", n, client=2) for n in range(12)]
    closed = act("close", "", "closed", asked=30, at=NOON + SECOND, client=3)
    late = sold("T99", 40, NOON + 2 * SECOND, client=4)
    part = smallest(CONTEST, [*acts, closed, late, seen(50, "T99")])
    assert [each.kind for each in part if each.answer is not None] == ["close", "sell"]
    words = fault_in_words(CONTEST, [*acts, closed, late], "the contest")
    assert words is not None
    assert "No order of the acts on the contest explains these 2 answers" in words
    assert "client 4: sell T99: sold" in words
    assert "it is sold though the contest is closed" in words
    assert fault_in_words(CONTEST, [*acts, closed], "the contest") is None


def test_a_recorder_keeps_what_was_asked_and_answered() -> None:
    recorder = Recorder()
    recorder.do(1, "sell", lambda: None, subject="T1")
    recorder.do(2, "pay", lambda: sold("T2", 0).answer, subject="T2", request="P1")
    first, second = recorder.acts
    assert first.answer is None and first.answered_ms > second.answered_ms
    assert second.inputs == {"request": "P1"} and second.answer is not None
    assert about([first, second, seen(3)], "T2")[0] is second
    assert "no answer" in str(first) and "sold" in str(second)
