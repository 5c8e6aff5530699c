"""Deep calls of tests have room: they take no memory from the system again and again."""

import resource
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from tests.support.running.deep_calls import with_room

_TIMES, _DEEP = 1000, 400


def deep(left: int) -> int:
    return deep(left - 1) + 1 if left else 0


def taken() -> int:
    """Return how many pages of memory a thousand deep calls of this thread took."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    assert {deep(_DEEP) for _ in range(_TIMES)} == {_DEEP}
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def in_a_thread(call: Callable[..., int]) -> int:
    """Return what the call returns in a new thread, which has no room yet."""
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(call).result()


def test_deep_calls_take_no_memory_anew() -> None:
    assert in_a_thread(taken) >= _TIMES  # each takes a piece, and gives it back
    assert in_a_thread(partial(with_room, taken)) < _TIMES // 10


def test_tests_have_room() -> None:
    assert taken() < _TIMES // 10


def test_what_is_called_gets_its_arguments_and_its_errors_come_through() -> None:
    assert with_room(dict, [("a", 1)], b=2) == {"a": 1, "b": 2}
    with pytest.raises(ValueError, match="invalid literal"):
        with_room(int, "x")
