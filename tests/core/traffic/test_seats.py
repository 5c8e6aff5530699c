"""Few requests of a process are at work at once, those that wait come in order, none is lost."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from core.database import together
from core.database.together import Together
from core.traffic.seats import Seats, seated
from tests.support.concurrency.sales import eventually


class Work:
    """An application whose requests are held up until they are let go, and then answer."""

    def __init__(self) -> None:
        self.begun: list[int] = []
        self._go = threading.Semaphore(0)

    def __call__(self, environ: dict[str, Any], _start: Any) -> list[bytes]:
        self.begun.append(environ["n"])
        assert self._go.acquire(timeout=60)
        if environ["n"] < 0:
            raise ValueError
        return [b"%d" % environ["n"]]

    def let_go(self, count: int = 1) -> None:
        self._go.release(count)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(12) as threads:
        yield threads


def test_as_many_are_at_work_as_there_are_seats_and_the_others_come_in_order(
    pool: ThreadPoolExecutor,
) -> None:
    two, work = Seats(2), Work()
    application = seated(work, two)
    answers = []
    for n in range(6):
        answers.append(pool.submit(application, {"n": n}, None))
        eventually(lambda n=n: len(work.begun) + len(two._queue) == n + 1)
    assert sorted(work.begun) == [0, 1]
    for count in range(3, 7):
        work.let_go()
        eventually(lambda count=count: len(work.begun) == count)
    work.let_go(2)
    assert [each.result(60) for each in answers] == [[b"%d" % n] for n in range(6)]
    assert work.begun[2:] == [2, 3, 4, 5]
    assert two._free == 2


def test_a_request_that_raises_leaves_its_seat() -> None:
    one, work = Seats(1), Work()
    work.let_go(2)
    with pytest.raises(ValueError):
        seated(work, one)({"n": -1}, None)
    assert seated(work, one)({"n": 7}, None) == [b"7"]
    assert one._free == 1


def test_a_seat_is_left_once_and_only_by_who_has_one() -> None:
    one = Seats(1)
    one.leave()
    assert one._free == 1
    one.take()
    one.leave()
    one.leave()
    assert one._free == 1


def test_calls_that_wait_for_a_statement_let_others_sit_and_share_it(
    pool: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With two seats, one of them kept by the statement under way, five calls still meet."""
    two, held, statements = Seats(2), threading.Event(), []

    def call_function(_function: str, *, n: int) -> tuple[int]:
        assert held.wait(60)
        return (n,)

    def run_prepared_once(_statement: str, parameters: list[str]) -> tuple[str]:
        statements.append(parameters[0].count('"n"'))
        return ("[" + ",".join(f"[{n}]" for n in range(1, 6)) + "]",)

    monkeypatch.setattr(together, "_leave_seat", together._leave_seat)  # as it was, at the end
    together.while_waiting(two.leave)
    monkeypatch.setattr(together, "PATIENCE_S", 60)
    monkeypatch.setattr(together, "call_function", call_function)
    monkeypatch.setattr(together, "run_prepared_once", run_prepared_once)
    calls = Together("add", (int,))
    application = seated(lambda environ, _start: [b"%d" % calls(n=environ["n"])], two)
    answers = []
    for n in range(6):
        answers.append(pool.submit(application, {"n": n}, None))
        eventually(lambda n=n: len(calls._waiting) == n and calls._is_under_way)
    held.set()
    assert [each.result(60) for each in answers] == [[b"%d" % n] for n in range(6)]
    assert statements == [5]
    assert two._free == 2
