"""Ask the database each question once while one answer is read from many places.

Alarms are such an answer. Each asks for what it shows, and several begin with the same question.
"""

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_answers: ContextVar[dict[Any, Any] | None] = ContextVar("answers", default=None)


@contextmanager
def one_reading() -> Iterator[None]:
    """Keep the answers of all functions that are `once` until the block ends. It only reads."""
    if _answers.get() is not None:
        yield
        return
    token = _answers.set({})
    try:
        yield
    finally:
        _answers.reset(token)


def once(function: Callable[P, R]) -> Callable[P, R]:
    """Call a function once for the same arguments within `one_reading`, and each time elsewhere.

    Nobody changes what it returns. An exception is not kept.
    """

    @functools.wraps(function)
    def ask(*args: P.args, **kwargs: P.kwargs) -> R:
        answers = _answers.get()
        if answers is None:
            return function(*args, **kwargs)
        key = (function, args, *kwargs.items())
        if key not in answers:
            answers[key] = function(*args, **kwargs)
        answer: R = answers[key]
        return answer

    return ask
