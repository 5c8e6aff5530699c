"""Sequential models of a winning ticket, and of all winning tickets of a contest together.

A prize is paid once, to a person who comes first (14.III.10.4), until the last day to claim ends
(14.III.10.2); a ticket presented in time is paid later, too [D7]. Then what nobody claimed lapses,
all at once (14.III.10.7).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NoReturn

from tests.histories.checker import Illegal
from tests.histories.history import Act, Answer


@dataclass(frozen=True, slots=True)
class Document:
    """A winning ticket. `by` is the request that paid or presented it, `at` when if told.

    `over` says that the clock has passed the last day to claim.
    """

    state: str = "prize"
    over: bool = False
    by: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class DocumentModel:
    """The rules of one winning ticket, to be claimed before `ends_at`."""

    ends_at: datetime
    first: Document = Document()

    def step(self, state: Document, act: Act) -> Iterable[Document]:
        """Return the ticket after the act. Raise Illegal."""
        if act.answer is not None and act.answer.outcome == "error":
            raise Illegal(f"an act never ends so: {act.answer.text}")
        return getattr(self, f"_{act.kind}")(state, act, act.answer)

    def _clock(self, state: Document, act: Act, answer: Answer | None) -> Iterable[Document]:
        yield replace(state, over=True)

    def _pay(self, state: Document, act: Act, answer: Answer | None) -> Iterable[Document]:
        request = act.inputs["request"]
        if answer is None:
            if state.state in ("prize", "presented"):
                yield Document("paid", state.over, request)
        elif answer.outcome == "paid":
            if state.state == "paid":
                if state.by != request:
                    _refuse(f"it was paid by {state.by}")
                if state.at not in (None, answer.at):
                    _refuse(f"it was paid at {state.at}")
            elif state.state == "lapsed":
                _refuse("it is paid though it has lapsed")
            elif state.state == "prize" and answer.at >= self.ends_at:
                _refuse("it is paid after the last day to claim")
            yield Document("paid", state.over, request, answer.at)
        elif answer.outcome == "request_uuid_too_old":
            if not state.over:
                _refuse("the clock has not moved since the request was made")
            if state.state == "paid" and state.by == request:
                _refuse("this very request has paid it")
            yield state
        else:
            self._need_refusal(state, answer.outcome)
            if state.state == "paid" and state.by == request:
                _refuse("this very request has paid it")
            yield state

    def _present(self, state: Document, act: Act, answer: Answer | None) -> Iterable[Document]:
        if answer is None:
            if state.state == "prize":
                yield Document("presented", state.over)
        elif answer.outcome == "presented":
            if state.state == "presented":
                if state.by not in ("", answer.receipt):
                    _refuse(f"its receipt is {state.by}")
            elif state.state != "prize":
                _refuse(f"it is {state.state}")
            elif answer.at >= self.ends_at:
                _refuse("it is presented after the last day to claim")
            yield Document("presented", state.over, answer.receipt, answer.at)
        else:
            self._need_refusal(state, answer.outcome)
            yield state

    def _need_refusal(self, state: Document, outcome: str) -> None:
        if outcome == "already_paid" and state.state != "paid":
            _refuse("it is not paid")
        if outcome == "claim_lapsed" and not _has_lapsed(state):
            _refuse("it has not lapsed")
        if outcome not in ("already_paid", "claim_lapsed"):
            _refuse("it is not refused for that")

    def _check(self, state: Document, act: Act, answer: Answer | None) -> Iterable[Document]:
        if answer is None:
            return
        if answer.outcome != ("lapsed" if _has_lapsed(state) else state.state):
            _refuse(f"it is {state.state}")
        yield state

    def _lapse(self, state: Document, act: Act, answer: Answer | None) -> Iterable[Document]:
        if answer is not None and answer.outcome == "not_yet_over":
            if state.over:
                _refuse("the last day to claim is over")
            yield state
            return
        if not state.over:
            _refuse("the last day to claim is not over")
        yield replace(state, state="lapsed") if state.state == "prize" else state

    def _read(self, state: Document, act: Act, answer: Answer | None) -> Iterable[Document]:
        if answer is not None:
            yield state


def _has_lapsed(state: Document) -> bool:
    return state.state == "lapsed" or (state.state == "prize" and state.over)


@dataclass(frozen=True, slots=True)
class PrizesModel:
    """The winning tickets of one contest, with the cents of each: what lapses, what is owed."""

    ends_at: datetime
    cents: Mapping[str, int]
    first: tuple[tuple[str, Document], ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "first", tuple((name, Document()) for name in sorted(self.cents)))

    def step(
        self, state: tuple[tuple[str, Document], ...], act: Act
    ) -> Iterable[tuple[tuple[str, Document], ...]]:
        """Return the tickets after the act. Raise Illegal."""
        each, documents = DocumentModel(self.ends_at), dict(state)
        if act.subject:
            for new in each.step(documents[act.subject], act):
                yield tuple(sorted((documents | {act.subject: new}).items()))
            return
        if act.answer is not None:
            self._need_sums(documents, act.kind, act.answer)
        after = {name: list(each.step(before, act)) for name, before in state}
        if all(after.values()):
            yield tuple((name, new) for name, (new,) in sorted(after.items()))

    def _need_sums(self, documents: Mapping[str, Document], kind: str, answer: Answer) -> None:
        def cents(*states: str) -> int:
            return sum(self.cents[n] for n, each in documents.items() if each.state in states)

        if kind == "lapse" and answer.outcome == "lapsed":
            count = sum(each.state == "prize" for each in documents.values())
            if (answer.prizes, answer.cents) != (count, cents("prize")):
                _refuse(f"{count} prizes of {cents('prize')} cents lapse")
        if kind == "read":
            answered = (answer.owed_cents, answer.held_cents, answer.paid_cents)
            expected = (cents("prize"), cents("presented"), cents("paid"))
            if answered != expected:
                _refuse("owed, held and paid are {}, {} and {} cents".format(*expected))


def _refuse(reason: str) -> NoReturn:
    raise Illegal(reason)
