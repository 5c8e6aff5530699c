"""Tell how far a long piece of work has come, from within it.

The code that does the work says `step` and `tell`. Where nobody listens, as in a command, nothing
happens; `core.longwork` listens, and stores what is told.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Progress:
    """The place that work has reached: `done` of `total` things in step `number` of `steps`.

    `total` is 0 where nobody can say how much there is.
    """

    name: str = ""
    number: int = 0
    steps: int = 0
    done: int = 0
    total: int = 0


Listener = Callable[[Progress], None]
_listener: ContextVar[Listener | None] = ContextVar("progress_listener", default=None)
_NOTHING = Progress()
_present: ContextVar[Progress] = ContextVar("progress", default=_NOTHING)


def step(name: str, number: int, steps: int) -> None:
    """Tell that the step of that name begins, the `number`th of `steps`."""
    _report(Progress(name, number, steps))


def tell(done: int, total: int = 0) -> None:
    """Tell how much of the present step is done, of how much."""
    _report(replace(_present.get(), done=done, total=max(done, total) if total else 0))


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
