"""Tell how far a long piece of work has come, from within it.

The code that does the work says `step` and `tell`. Where nobody listens, as in a command, nothing
happens; `core.longwork` listens, and stores what is told. A listener for whom the work is of no use
any more raises GivenUp, and so ends it at its next step.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace


class GivenUp(Exception):
    """The work was called cut off while it went on: nobody takes its result."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The place that work has reached: `done` of `total` things in step `number` of `steps`.

    `total` is 0 where nobody can say how much there is. At the `end` all is done, and the result
    is about to be kept.
    """

    name: str = ""
    number: int = 0
    steps: int = 0
    done: int = 0
    total: int = 0
    end: bool = False


Listener = Callable[[Progress], None]
_listener: ContextVar[Listener | None] = ContextVar("progress_listener", default=None)
_NOTHING = Progress()
_present: ContextVar[Progress] = ContextVar("progress", default=_NOTHING)


def step(name: str, number: int, steps: int) -> None:
    """Tell that the step of that name begins, the `number`th of `steps`. Raises GivenUp."""
    _report(Progress(name, number, steps))


def tell(done: int, total: int = 0) -> None:
    """Tell how much of the present step is done, of how much. Raises GivenUp."""
    _report(replace(_present.get(), done=done, total=max(done, total) if total else 0))


def end() -> None:
    """Tell, in the transaction that keeps the result, that it ends now. Raises GivenUp."""
    _report(replace(_present.get(), end=True))


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Send a listener the progress that the block reports."""
    heard, present = _listener.set(listener), _present.set(_NOTHING)
    try:
        yield
    finally:
        _present.reset(present)
        _listener.reset(heard)


def _report(progress: Progress) -> None:
    listener = _listener.get()
    if listener is not None:
        _present.set(progress)
        listener(progress)
