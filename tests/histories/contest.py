"""A sequential model of a contest: one act after another, by the rulebook alone.

Sold until it is closed, at the latest by the clock (14.III.4) [E1]; annulled only before that
(14.III.1.4) [E4]; stopped by a reported start, until another person confirms it, which closes with
the instant of the stop, or rejects it [E12]; sealed once closed (14.III.1.5); settled once sealed,
with what was sealed.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NoReturn

from tests.histories.checker import Illegal
from tests.histories.history import Act, Answer

Instants = frozenset[tuple[str, datetime | None]]


@dataclass(frozen=True, slots=True)
class Contest:
    """A contest. `sold` and `void` have tickets with the instant, None while nobody was told it.

    `over` says that the clock has passed the scheduled closing. `start` is that of its first race:
    not reported, `stopping` sales, `reported` and stopping nothing, `confirmed` or `rejected`.
    """

    phase: str = "open"
    over: bool = False
    start: str = ""
    stopped_at: datetime | None = None
    sold: Instants = frozenset()
    void: Instants = frozenset()
    closed_at: datetime | None = None

    @property
    def is_stopped(self) -> bool:
        """Whether it would be on sale if no start were reported."""
        return self.phase == "open" and self.start == "stopping"

    @property
    def live(self) -> list[str]:
        """The tickets that are not void, in order."""
        void = {name for name, _ in self.void}
        return sorted(name for name, _ in self.sold if name not in void)


@dataclass(frozen=True, slots=True)
class ContestModel:
    """The rules of one contest, with its scheduled closing and its price in cents."""

    closes_at: datetime
    price_cents: int
    first: Contest = Contest()

    def step(self, state: Contest, act: Act) -> Iterable[Contest]:
        """Return the contest after the act. Raise Illegal."""
        if act.answer is not None and act.answer.outcome == "error":
            raise Illegal(f"an act never ends so: {act.answer.text}")
        return getattr(self, f"_{act.kind}")(state, act, act.answer)

    def _clock(self, state: Contest, act: Act, answer: Answer | None) -> Iterable[Contest]:
        yield replace(state, over=True)

    def _sell(self, state: Contest, act: Act, answer: Answer | None) -> Iterable[Contest]:
        sold = dict(state.sold)
        is_sold = act.subject in sold
        if answer is None:
            if not is_sold and state.phase == "open" and not state.is_stopped:
                yield _sold(state, act.subject, None)
        elif answer.outcome == "sold":
            if answer.ticket != act.subject:
                _refuse(f"the answer is ticket {answer.ticket}")
            if is_sold:
                _same(sold[act.subject], answer.at, "sold")
            elif state.phase != "open" or state.is_stopped:
                _refuse("it is sold though the contest is closed, or stopped")
            elif answer.at >= self.closes_at:
                _refuse("it is sold at or after the scheduled closing")
            yield _sold(state, act.subject, answer.at)
        else:
            if is_sold:
                _refuse("it is sold already")
            self._need_ended(state, answer.outcome)
            yield state

    def _annul(self, state: Contest, act: Act, answer: Answer | None) -> Iterable[Contest]:
        void = dict(state.void)
        is_sold, is_void = act.subject in dict(state.sold), act.subject in void
        if answer is None:
            if is_sold and not is_void and state.phase == "open" and not state.is_stopped:
                yield _voided(state, act.subject, None)
        elif answer.outcome == "annulled":
            if is_void:
                _same(void[act.subject], answer.at, "annulled")
            elif not is_sold:
                _refuse("it is annulled though it is not sold")
            elif state.phase != "open" or state.is_stopped or answer.at >= self.closes_at:
                _refuse("it is annulled though the contest is closed, or stopped")
            yield _voided(state, act.subject, answer.at)
        elif answer.outcome == "ticket_unknown":
            if is_sold:
                _refuse("it is sold")
            yield state
        else:
            if not is_sold or is_void:
                _refuse("it is not sold, or void already")
            self._need_ended(state, answer.outcome)
            yield state

    def _need_ended(self, state: Contest, outcome: str) -> None:
        if outcome == "contest_closed":
            if state.phase == "open" and not state.over:
                _refuse("the contest is not closed")
        elif outcome != "sales_stopped" or not state.is_stopped:
            _refuse("the contest is not stopped")

    def _stop(self, state: Contest, act: Act, answer: Answer | None) -> Iterable[Contest]:
        if state.start:
            _refuse("its start is reported already")
        is_over = state.phase != "open" or state.over
        if answer is None:
            if state.phase == "open":
                yield replace(state, start="stopping")
            if is_over:
                yield replace(state, start="reported")
        elif answer.at is None:
            if not is_over:
                _refuse("sales are not stopped")
            yield replace(state, start="reported")
        else:
            if state.phase != "open" or answer.at >= self.closes_at:
                _refuse("sales of a closed contest are stopped")
            _need_before(state, answer.at)
            yield replace(state, start="stopping", stopped_at=answer.at)

    def _confirm(self, state: Contest, act: Act, answer: Answer | None) -> Iterable[Contest]:
        if answer is None or answer.outcome == "confirmed":
            if state.start not in ("stopping", "reported", "confirmed"):
                _refuse("no start waits to be confirmed")
            new = replace(state, start="confirmed")
            if state.phase == "open":
                stopped_at = state.stopped_at if state.is_stopped else None
                new = replace(new, phase="closed", closed_at=stopped_at)
            yield self._closed_at(new, answer.at) if answer else new
        else:
            if answer.outcome != {"": "nothing_reported", "rejected": "proposal_decided"}.get(
                state.start
            ):
                _refuse("a start waits to be confirmed")
            yield state

    def _reject(self, state: Contest, act: Act, answer: Answer | None) -> Iterable[Contest]:
        if answer is None or answer.outcome == "rejected":
            if state.start not in ("stopping", "reported", "rejected"):
                _refuse("no start waits to be rejected")
            yield replace(state, start="rejected")
        else:
            if answer.outcome != {"": "nothing_reported", "confirmed": "proposal_decided"}.get(
                state.start
            ):
                _refuse("a start waits to be rejected")
            yield state

    def _close(self, state: Contest, act: Act, answer: Answer | None) -> Iterable[Contest]:
        if answer is None:
            if state.phase == "open":
                yield _ended(state)
        elif answer.outcome == "closed":
            if state.phase != "open":
                _refuse("it is closed a second time")
            if answer.at > self.closes_at:
                _refuse("it is closed later than scheduled")
            yield self._closed_at(_ended(state), answer.at)
        elif answer.outcome == "was_closed":
            if state.phase == "open":
                _refuse("it is not closed")
            yield self._closed_at(state, answer.at)
        else:
            if answer.outcome != "not_due" or state.phase != "open" or state.over:
                _refuse("its closing is due, or done")
            yield state

    def _closed_at(self, state: Contest, at: datetime) -> Contest:
        if state.closed_at not in (None, at):
            _refuse(f"its closing is at {state.closed_at}")
        _need_before(state, at)
        return replace(state, closed_at=at)

    def _seal(self, state: Contest, act: Act, answer: Answer | None) -> Iterable[Contest]:
        if answer is None:
            if state.phase == "closed":
                yield replace(state, phase="sealed")
            return
        if answer.outcome == "sealed":
            if state.phase == "open":
                _refuse("it is sealed though it is open")
            self._need_figures(state, answer)
            yield replace(state, phase="sealed") if state.phase == "closed" else state
        elif answer.outcome == "seal_busy":
            yield state
        else:
            if answer.outcome != "contest_on_sale" or state.phase != "open":
                _refuse("it could be sealed")
            yield state

    def _settle(self, state: Contest, act: Act, answer: Answer | None) -> Iterable[Contest]:
        needed = {"open": "contest_not_closed", "closed": "contest_not_sealed"}
        if answer is None:
            if state.phase == "sealed":
                yield replace(state, phase="settled")
            return
        if answer.outcome == "settled":
            if state.phase not in ("sealed", "settled"):
                _refuse(f"it is settled though it is {state.phase}")
            self._need_figures(state, answer)
            yield replace(state, phase="settled")
        elif answer.outcome == "settlement_busy":
            yield state
        else:
            if answer.outcome != needed.get(state.phase):
                _refuse(f"it is {state.phase}")
            yield state

    def _need_figures(self, state: Contest, answer: Answer) -> None:
        expected = (len(state.live), len(state.live) * self.price_cents)
        if (answer.tickets, answer.cents) != expected:
            _refuse("it has {} tickets of {} cents".format(*expected))

    def _read(self, state: Contest, act: Act, answer: Answer | None) -> Iterable[Contest]:
        if answer is None:
            return
        phase = "stopped" if state.is_stopped else state.phase
        if answer.phase != phase:
            _refuse(f"it is {phase}")
        if sorted(answer.live) != state.live:
            _refuse(f"the tickets are {' '.join(state.live) or 'none'}")
        if sorted(answer.void) != sorted(name for name, _ in state.void):
            _refuse("other tickets are void")
        expected = 0 if state.phase == "settled" else len(state.live) * self.price_cents
        if answer.takings_cents != expected:
            _refuse(f"the takings are {expected} cents")
        limit = state.closed_at or self.closes_at
        if state.phase != "open" and answer.newest is not None and answer.newest >= limit:
            _refuse("a ticket is sold at or after the instant of the closing")
        yield state


def _ended(state: Contest) -> Contest:
    """Return the contest closed; a stop of its sales ends with that."""
    start = "reported" if state.start == "stopping" else state.start
    return replace(state, phase="closed", start=start)


def _need_before(state: Contest, at: datetime | None) -> None:
    """Raise Illegal if a ticket is sold at or after an instant that ended or stopped sales."""
    late = sorted(name for name, sold_at in state.sold if at and sold_at and sold_at >= at)
    if late:
        _refuse(f"{late[0]} is sold at or after that instant")


def _sold(state: Contest, name: str, at: datetime | None) -> Contest:
    return replace(state, sold=state.sold - {(name, None)} | {(name, at)})


def _voided(state: Contest, name: str, at: datetime | None) -> Contest:
    return replace(state, void=state.void - {(name, None)} | {(name, at)})


def _same(before: datetime | None, at: datetime, act: str) -> None:
    if before not in (None, at):
        _refuse(f"it was {act} at {before}")


def _refuse(reason: str) -> NoReturn:
    raise Illegal(reason)
