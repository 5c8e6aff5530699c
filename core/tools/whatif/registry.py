"""The kinds of case that `whatif` answers. Core knows its own; the games add theirs when they load.

A kind is a function from the case's `input` to the answer, in the shape of `expected`. It raises a
DomainError for what it cannot accept, and touches neither database nor clock.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from core.kernel.canonical import Json

Answer: TypeAlias = Callable[[object], Json]

_kinds: dict[str, Answer] = {}


def register(kinds: Mapping[str, Answer]) -> None:
    """Add kinds. Adding the same function again is harmless; another under its name: ValueError."""
    for kind, answer in kinds.items():
        if _kinds.setdefault(kind, answer) is not answer:
            raise ValueError(f"two functions answer cases of kind {kind!r}")


def answer_of(kind: str) -> Answer | None:
    """The function that answers a kind, or None."""
    return _kinds.get(kind)


def known_kinds() -> tuple[str, ...]:
    """The names of all kinds, sorted."""
    return tuple(sorted(_kinds))
