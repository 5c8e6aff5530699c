"""Record acts of clients: who, when asked, when answered, and the answer."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

SILENT = frozenset({"read", "check"})
"""The acts that change nothing: without their answer they say nothing."""
OF_ALL = frozenset({"read", "seal", "settle", "lapse"})
"""The acts whose answers depend on every document."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The outcome of an act, `sold` or the code of a refusal, and the facts that it tells."""

    outcome: str
    facts: Mapping[str, Any] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.facts[name]
        except KeyError:
            raise AttributeError(name) from None

    def __str__(self) -> str:
        facts = ", ".join(f"{name} {_text(value)}" for name, value in self.facts.items())
        return f"{self.outcome} ({facts})" if facts else self.outcome


@dataclass(frozen=True, slots=True, eq=False)
class Act:
    """An act of a client, with instants in milliseconds of one monotonic clock.

    Without an answer it may have taken effect at any time since it was asked, may still do so, or
    never. `subject` is the document that it is about; empty if it is about all of them.
    """

    client: int
    kind: str
    subject: str
    asked_ms: float
    answered_ms: float = inf
    answer: Answer | None = None
    inputs: Mapping[str, Any] = field(default_factory=dict)

    def unanswered(self) -> "Act":
        """Return the act as one whose answer was lost."""
        return replace(self, answered_ms=inf, answer=None)

    def __str__(self) -> str:
        inputs = " ".join(f"{name} {_text(value)}" for name, value in self.inputs.items())
        what = " ".join(filter(None, (self.kind, self.subject, inputs)))
        if self.answer is None:
            return f"{self.asked_ms:8.1f} -     ?    ms  client {self.client}: {what}: no answer"
        times = f"{self.asked_ms:8.1f} - {self.answered_ms:8.1f} ms"
        return f"{times}  client {self.client}: {what}: {self.answer}"


def _text(value: Any) -> str:
    if hasattr(value, "isoformat"):
        return str(value.isoformat(sep=" ")[11:])
    if isinstance(value, tuple | list):
        return "{" + " ".join(map(str, value)) + "}"
    return str(value)


class Recorder:
    """The history of one run, written by all clients at once."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._mutex = threading.Lock()
        self._acts: list[Act] = []

    def do(
        self,
        client: int,
        kind: str,
        act: Callable[[], Answer | None],
        *,
        subject: str = "",
        **inputs: Any,
    ) -> Answer | None:
        """Do an act and record it. It returns None when no answer came."""
        asked_ms = self._now_ms()
        answer = act()
        answered_ms = inf if answer is None else self._now_ms()
        with self._mutex:
            self._acts.append(Act(client, kind, subject, asked_ms, answered_ms, answer, inputs))
        return answer

    @property
    def acts(self) -> list[Act]:
        """The acts in the order in which they were asked for."""
        with self._mutex:
            return sorted(self._acts, key=lambda act: act.asked_ms)

    def _now_ms(self) -> float:
        return (time.monotonic() - self._began) * 1000


def about(acts: list[Act], subject: str) -> list[Act]:
    """Return the acts on a document, with those that are about all documents."""
    return [act for act in acts if act.subject in ("", subject)]
