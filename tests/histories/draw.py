"""A sequential model of a public draw (14.III.5.4) [B13, B16].

Announced, committed, drawn, certified. After the commitment nothing but the order of the first
entropy counts; a start of the race calls off a draw that is not committed.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NoReturn

from tests.histories.checker import Illegal
from tests.histories.history import Act, Answer

BEGUN = ("committed", "drawn", "certified")


@dataclass(frozen=True, slots=True)
class Draw:
    """A draw. What nobody was told yet is empty."""

    phase: str = "announced"
    digest: str = ""
    entropy: str = ""
    order: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DrawModel:
    """The rules of one draw."""

    first: Draw = Draw()

    def step(self, state: Draw, act: Act) -> Iterable[Draw]:
        """Return the draw after the act. Raise Illegal."""
        if act.answer is not None and act.answer.outcome == "error":
            raise Illegal(f"an act never ends so: {act.answer.text}")
        return getattr(self, f"_{act.kind}")(state, act, act.answer)

    def _commit(self, state: Draw, act: Act, answer: Answer | None) -> Iterable[Draw]:
        if answer is None:
            if state.phase == "announced":
                yield replace(state, phase="committed")
        elif answer.outcome == "committed":
            if state.phase == "called_off":
                _refuse("it is called off")
            if state.digest not in ("", answer.digest):
                _refuse("it has another commitment")
            phase = "committed" if state.phase == "announced" else state.phase
            yield replace(state, phase=phase, digest=answer.digest)
        else:
            if (answer.outcome, state.phase) not in (
                ("draw_over", "called_off"),
                ("draw_over", "certified"),
            ):
                _refuse(f"it is {state.phase}")
            yield state

    def _enter(self, state: Draw, act: Act, answer: Answer | None) -> Iterable[Draw]:
        entropy = act.inputs["entropy"]
        if answer is None:
            if state.phase == "committed":
                yield replace(state, phase="drawn", entropy=entropy)
        elif answer.outcome == "drawn":
            if state.phase not in BEGUN:
                _refuse("it is drawn before its commitment")
            if state.phase != "committed" and state.entropy != entropy:
                _refuse("it was drawn with other entropy")
            if state.order not in ((), answer.order):
                _refuse("it has another order")
            phase = "drawn" if state.phase == "committed" else state.phase
            yield replace(state, phase=phase, entropy=entropy, order=answer.order)
        else:
            is_drawn = state.phase in ("drawn", "certified")
            reasons = {
                "entropy_given": is_drawn and state.entropy != entropy,
                "entropy_too_early": state.phase == "announced",
                "draw_over": state.phase == "called_off",
            }
            if not reasons.get(answer.outcome):
                _refuse(f"it is {state.phase}")
            yield state

    def _certify(self, state: Draw, act: Act, answer: Answer | None) -> Iterable[Draw]:
        if answer is None:
            if state.phase == "drawn":
                yield replace(state, phase="certified")
        elif answer.outcome == "certified":
            if state.phase not in ("drawn", "certified"):
                _refuse("it is certified before it is drawn")
            yield replace(state, phase="certified")
        else:
            reasons = {
                "draw_not_drawn": state.phase in ("announced", "committed"),
                "draw_over": state.phase == "called_off",
            }
            if not reasons.get(answer.outcome):
                _refuse(f"it is {state.phase}")
            yield state

    def _start(self, state: Draw, act: Act, answer: Answer | None) -> Iterable[Draw]:
        if answer is None:
            if state.phase == "announced":
                yield replace(state, phase="called_off")
        elif answer.outcome == "started":
            if state.phase != "announced":
                _refuse(f"the race is run though its draw is {state.phase}")
            yield replace(state, phase="called_off")
        else:
            if answer.outcome not in ("draw_begun", "draw_certified") or state.phase not in BEGUN:
                _refuse("the race could start")
            yield state

    def _read(self, state: Draw, act: Act, answer: Answer | None) -> Iterable[Draw]:
        if answer is None:
            return
        if answer.phase != state.phase:
            _refuse(f"it is {state.phase}")
        if bool(answer.order) != (state.phase in ("drawn", "certified")):
            _refuse("an order is known that was not drawn, or the other way round")
        if answer.order and state.order not in ((), answer.order):
            _refuse("it has another order")
        yield replace(state, order=answer.order)


def _refuse(reason: str) -> NoReturn:
    raise Illegal(reason)
