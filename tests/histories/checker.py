"""Decide whether a history is linearizable: whether some order of its acts explains every answer.

An act takes effect at one instant between its request and its answer; so an act that was answered
before another was asked for comes before it. The search is that of Wing and Gong, with Lowe's
memory of what was tried: acts done so far and state. A sequential model says what each act may
answer (`model.step`).
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from tests.histories.history import OF_ALL, SILENT, Act

MOST_TRIED = 400_000
"""Configurations of a search for an order."""
MOST_TRIED_TO_TELL = 4_000
"""Configurations of a search for a shorter story: acts without an answer multiply them."""


class Illegal(Exception):
    """The act cannot give that answer in that state; the text says why."""


class Model(Protocol):
    """A sequential model: its first state, and what each act makes of a state."""

    first: Hashable

    def step(self, state: Hashable, act: Act) -> Iterable[Hashable]:
        """Return the states after the act. For an act without an answer: those it may lead to.

        Raise Illegal if the act cannot have that answer in that state.
        """


class Undecided(RuntimeError):
    """The search took too long."""


@dataclass(frozen=True, slots=True)
class Search:
    """The end of a search: whether an order was found, or the longest one, and why it ends."""

    found: bool
    order: tuple[Act, ...]
    reasons: tuple[str, ...] = ()


def search(model: Model, acts: Sequence[Act], most: int | None = None) -> Search:
    """Look for an order of the acts that explains every answer.

    Raise Undecided after `most` configurations.
    """
    most = most or MOST_TRIED
    acts = sorted(acts, key=lambda act: act.asked_ms)
    answered = sum(1 << n for n, act in enumerate(acts) if act.answer is not None)
    tried: set[tuple[int, Hashable]] = set()
    pending: list[tuple[int, Hashable, _Path]] = [(0, model.first, None)]
    deepest, longest, reasons = -1, None, ()
    while pending:
        done, state, path = pending.pop()
        if (done, state) in tried:
            continue
        tried.add((done, state))
        if len(tried) > most:
            raise Undecided(f"{len(acts)} acts")
        if done & answered == answered:
            return Search(True, _walked(path))
        following, refused = _next(model, acts, done, state, path)
        if (depth := (done & answered).bit_count()) > deepest:
            deepest, longest, reasons = depth, path, tuple(refused)
        pending += following
    return Search(False, _walked(longest), reasons)


_Path = tuple[Act, "_Path"] | None


def _next(
    model: Model, acts: Sequence[Act], done: int, state: Hashable, path: "_Path"
) -> tuple[list[tuple[int, Hashable, "_Path"]], list[str]]:
    """Return the configurations one act further, the likeliest last, and the acts refused."""
    left = [(n, act) for n, act in enumerate(acts) if not done >> n & 1]
    until = min(act.answered_ms for _, act in left)
    following: list[tuple[int, Hashable, _Path]] = []
    refused = []
    ready = [(n, act) for n, act in left if act.asked_ms <= until]
    for n, act in sorted(ready, key=lambda each: -each[1].answered_ms):
        try:
            states = list(model.step(state, act))
        except Illegal as reason:
            if act.answer is not None:
                refused.append(f"{act}\n            {reason}")
            continue
        following += [(done | 1 << n, new, (act, path)) for new in states]
    return following, refused


def _walked(path: "_Path") -> tuple[Act, ...]:
    walked: list[Act] = []
    while path is not None:
        act, path = path
        walked.append(act)
    return tuple(reversed(walked))


def linearizable(model: Model, acts: Sequence[Act]) -> bool:
    """Return whether some order of the acts explains every answer."""
    return search(model, acts).found


def smallest(model: Model, acts: Sequence[Act]) -> list[Act]:
    """Return the history with as few answers as cannot be explained, from one that cannot.

    First the shortest beginning; then every answer is left out that is not needed. An act without
    its answer may have happened or not, so nothing is found wrong by leaving it out.
    """
    ends = sorted(act.answered_ms for act in acts if act.answer is not None)
    low, high = 0, len(ends) - 1
    while low < high:
        middle = (low + high) // 2
        if linearizable(model, _until(acts, ends[middle])):
            low = middle + 1
        else:
            high = middle
    kept = _telling(_until(acts, ends[low]))
    for act in reversed(list(kept)):
        if act.answer is None:
            continue
        weaker = _telling([each.unanswered() if each is act else each for each in kept])
        try:
            if not search(model, weaker, MOST_TRIED_TO_TELL).found:
                kept = weaker
        except Undecided:
            continue  # this answer stays in the story
    return kept


def _until(acts: Iterable[Act], instant_ms: float) -> list[Act]:
    """Return the history as it was known at an instant."""
    return [
        act if act.answered_ms <= instant_ms else act.unanswered()
        for act in acts
        if act.asked_ms <= instant_ms
    ]


def _telling(acts: Iterable[Act]) -> list[Act]:
    """Return the acts without those that can neither explain an answer nor contradict one."""
    acts = list(acts)
    answered = [act for act in acts if act.answer is not None]
    subjects = {act.subject for act in answered} | {""}
    is_all_told = any(act.kind in OF_ALL for act in answered)
    return [
        act
        for act in acts
        if act.answer is not None
        or (act.kind not in SILENT and (is_all_told or act.subject in subjects))
    ]


def fault_in_words(model: Model, acts: Sequence[Act], name: str) -> str | None:
    """Return why no order explains the acts, by the smallest part that shows it; None if one does.

    `name` is the object of the history.
    """
    if linearizable(model, acts):
        return None
    part = smallest(model, acts)
    answered = [act for act in part if act.answer is not None]
    others = [act for act in part if act.answer is None]
    ended = search(model, part)
    lines = [f"No order of the acts on {name} explains these {len(answered)} answers:"]
    lines += [f"    {act}" for act in answered]
    if others:
        count = Counter(map(_short, others))
        named = [f"{what} ({times})" if times > 1 else what for what, times in count.items()]
        lines.append(f"whatever became of others asked for by then: {', '.join(named)}.")
    lines.append(f"After {', '.join(map(_short, ended.order)) or 'nothing'}:")
    lines += [f"    {reason}" for reason in ended.reasons]
    return "\n".join(lines)


def _short(act: Act) -> str:
    return f"{act.kind} {act.subject}".strip()
