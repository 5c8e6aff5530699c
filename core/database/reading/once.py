"""Ask the database each question once while one answer is read from many places.

Alarms are such an answer. Each asks for what it shows, and several begin with the same question.
"""

import functools
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, ParamSpec, TypeVar

from django.db import connection

P = ParamSpec("P")
R = TypeVar("R")

_answers: ContextVar[dict[Any, Any] | None] = ContextVar("answers", default=None)
# A statement that begins as a write does, or that has one in its WITH; `FOR UPDATE` only locks.
_WRITES: Final = re.compile(
    r"\s*(?:INSERT|UPDATE|DELETE|MERGE|TRUNCATE|COPY)\b"
    r"|\s*WITH\b.*\b(?:INSERT\s+INTO|DELETE\s+FROM|MERGE\s+INTO|UPDATE\s+\S+\s+SET)\b",
    re.IGNORECASE | re.DOTALL,
)


class WriteWithinReading(RuntimeError):
    """A write within `one_reading`, which may then answer what was before: a programming fault."""


@contextmanager
def one_reading() -> Iterator[None]:
    """Keep the answers of all functions that are `once` until the block ends. It only reads.

    A statement of Django that writes raises WriteWithinReading; what an SQL function writes is not
    seen.
    """
    if _answers.get() is not None:
        yield
        return
    token, wrappers = _answers.set({}), connection.execute_wrappers
    wrappers.append(_refuse_writes)
    try:
        yield
    finally:
        wrappers.remove(_refuse_writes)  # a trace may have added its own meanwhile
        _answers.reset(token)


def _refuse_writes(execute: Any, sql: Any, params: Any, many: bool, context: Any) -> Any:
    """Run a statement that only reads (`execute_wrappers`). Raises WriteWithinReading."""
    if isinstance(sql, str) and _WRITES.match(sql):
        raise WriteWithinReading(" ".join(sql.split())[:80])
    return execute(sql, params, many, context)


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
