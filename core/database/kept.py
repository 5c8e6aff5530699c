"""Keep facts in the memory of a process, so that a hot path need not ask the database again.

An id means nothing without its database, and a process may use several (in tests). Each fact is
therefore kept under the name of the database in use.
"""

import functools
import threading
import time
import weakref
from collections.abc import Callable, Hashable
from typing import Any, ClassVar, Generic, ParamSpec, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections

P = ParamSpec("P")
R = TypeVar("R")
V = TypeVar("V")


class Facts(Generic[V]):
    """The `most` newest facts of one kind. A fact either never changes or may be up to
    `seconds` old.
    """

    _all: ClassVar["weakref.WeakSet[Facts[Any]]"] = weakref.WeakSet()

    def __init__(self, *, most: int, seconds: int = 0) -> None:
        self._most, self._seconds = most, seconds
        self._kept: dict[tuple[Hashable, ...], V] = {}
        self._writing = threading.Lock()
        Facts._all.add(self)

    def get(self, *key: Hashable) -> V | None:
        """Return the fact of that key, None if it is not kept."""
        return self._kept.get(self._full(key))

    def put(self, *key: Hashable, fact: V) -> V:
        """Keep the fact of that key and return it. Drop the oldest fact when there are too many."""
        with self._writing:
            self._kept[self._full(key)] = fact
            if len(self._kept) > self._most:
                del self._kept[next(iter(self._kept))]
        return fact

    def forget(self) -> None:
        """Drop all facts."""
        with self._writing:
            self._kept.clear()

    def _full(self, key: tuple[Hashable, ...]) -> tuple[Hashable, ...]:
        period = int(time.monotonic()) // self._seconds if self._seconds else 0
        # Each thread has a connection of its own; all have these settings.
        return connections.settings[DEFAULT_DB_ALIAS]["NAME"], period, *key


def kept(*, most: int, seconds: int = 0) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Keep the results of a function by its arguments. None and an exception are not kept."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        facts: Facts[R] = Facts(most=most, seconds=seconds)

        @functools.wraps(function)
        def look_up(*args: P.args, **kwargs: P.kwargs) -> R:
            key: Any = (*args, *kwargs.items())
            fact = facts.get(*key)
            return facts.put(*key, fact=function(*args, **kwargs)) if fact is None else fact

        return look_up

    return decorate


def forget_all() -> None:
    """Drop every fact of every kind, for tests that change facts which never change in service."""
    for facts in list(Facts._all):
        facts.forget()
