"""Make calls of an SQL function that wait at the same time by one statement.

The threads of a process meet here. A call that finds no other under way is made at once. Those that
come meanwhile wait for its end; the first of them then makes all of them, by one statement
on its connection, and each gets its own answer. In the database each is a transaction of its own
(sql/together.sql): it has its locks, its act and its outcome.
"""

import threading
from collections.abc import Callable
from typing import Any

import msgspec
from django.db import DatabaseError, connection

from core.database.statements import call_function, run_prepared, run_prepared_once

MOST = 16
"""Calls in one statement."""
PATIENCE_S = 0.05
"""A call waits no longer for another statement to end: then it is made alone."""


def _stay() -> None:
    """Do nothing: in a process without seats `while_waiting` was never called."""


_leave_seat: Callable[[], None] = _stay


def while_waiting(leave: Callable[[], None]) -> None:
    """Make every thread call `leave` before it waits, so that another request gets its place."""
    global _leave_seat  # noqa: PLW0603  (said once, as the process starts)
    _leave_seat = leave


class _Call:
    """A call that waits, with its arguments; later its answer, if the statement gave one."""

    __slots__ = ("answer", "arguments", "leads", "turn")

    def __init__(self, arguments: dict[str, Any]) -> None:
        self.arguments = arguments
        self.answer: tuple[Any, ...] | None = None
        self.leads = False
        self.turn = threading.Lock()
        self.turn.acquire()


def need_on_disk() -> None:
    """Wait until all that was seen is on the disk. Calls of a statement are seen before its end."""
    run_prepared("SELECT core_on_disk()", [])


class Together:
    """The calls of one SQL function in this process. `columns` are the types of its answer's.

    The function has its procedure by `core_each`, and recognises a call that is repeated.
    """

    def __init__(self, function: str, columns: tuple[Any, ...]) -> None:
        self._function = function
        self._statement = f"CALL {function}_each(%s)"
        self._answers = msgspec.json.Decoder(list[tuple[columns]])  # type: ignore[valid-type]
        self._mutex = threading.Lock()
        self._waiting: list[_Call] = []
        self._is_under_way = False

    def __call__(self, **arguments: Any) -> tuple[Any, ...]:
        """Call the function and return its one row.

        An argument `x` goes to the parameter `p_x`. Raises what the call alone would raise.
        """
        if connection.in_atomic_block:
            return call_function(self._function, **arguments)
        call = _Call(arguments)
        with self._mutex:
            if self._is_under_way:
                self._waiting.append(call)
            else:
                self._is_under_way = call.leads = True
        if not call.leads:
            _leave_seat()  # to a request that may share the next statement
            if not call.turn.acquire(timeout=PATIENCE_S) and not self._left(call):
                call.turn.acquire()
        if call.leads:
            self._lead(call)
        return call.answer or call_function(self._function, **arguments)

    def _left(self, call: _Call) -> bool:
        """Take a call out of those that wait. Return whether it still waited."""
        with self._mutex:
            if call not in self._waiting:
                return False
            self._waiting.remove(call)
            return True

    def _lead(self, call: _Call) -> None:
        """Make a call and those that wait; then wake them, and the next to lead."""
        with self._mutex:
            others = self._waiting[: MOST - 1]
            del self._waiting[: MOST - 1]
        try:
            if others:
                self._make([call, *others])
            else:
                call.answer = call_function(self._function, **call.arguments)
        finally:
            with self._mutex:
                following = self._waiting.pop(0) if self._waiting else None
                self._is_under_way = following is not None
            if following is not None:
                following.leads = True
                following.turn.release()
            for other in others:
                other.turn.release()

    def _make(self, calls: list[_Call]) -> None:
        """Make the calls by one statement. Those after one that raised get no answer."""
        content = msgspec.json.encode([call.arguments for call in calls]).decode()
        try:
            (answers,) = run_prepared_once(self._statement, [content])
        except DatabaseError:
            return  # each is made again, alone, and finds what was done
        for call, answer in zip(calls, self._answers.decode(answers), strict=False):
            call.answer = answer
