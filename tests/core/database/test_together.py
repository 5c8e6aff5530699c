"""Calls that wait at the same time share a statement; none waits long, and none is lost."""

import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from django.db import DatabaseError

from core.database import together
from core.database.together import MOST, Together
from tests.support.concurrency.sales import eventually

STATEMENT = "CALL add_each(%s)"


class Database:
    """A database that answers a call with its `n` and one more, and can be held up or fail."""

    def __init__(self) -> None:
        self.alone: list[int] = []
        self.statements: list[list[int]] = []
        self.open = threading.Event()
        self.open.set()
        self.begun = threading.Semaphore(0)
        self.answered = MOST
        self.fails: Callable[[int], bool] = lambda _n: False
        self.is_lost = False

    def call_function(self, function: str, *, n: int) -> tuple[int, int]:
        self.alone.append(n)
        self.begun.release()
        assert function == "add" and self.open.wait(60)
        if self.fails(n):
            raise DatabaseError(str(n))
        return n, n + 1

    def run_prepared_once(self, statement: str, parameters: list[str]) -> tuple[str]:
        numbers = [call["n"] for call in json.loads(parameters[0])]
        self.statements.append(numbers)
        self.begun.release()
        assert statement == STATEMENT and self.open.wait(60)
        if self.is_lost:
            raise DatabaseError("the connection is lost")
        return (json.dumps([(n, n + 1) for n in numbers][: self.answered]),)


@pytest.fixture
def database(monkeypatch: pytest.MonkeyPatch) -> Database:
    server = Database()
    monkeypatch.setattr(together, "call_function", server.call_function)
    monkeypatch.setattr(together, "run_prepared_once", server.run_prepared_once)
    monkeypatch.setattr(together, "PATIENCE_S", 10)
    return server


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(24) as threads:
        yield threads


@pytest.fixture
def calls() -> Together:
    return Together("add", (int, int))


def waiting(
    pool: ThreadPoolExecutor, calls: Together, database: Database, count: int
) -> list[Future[Any]]:
    """Begin a call, 0, that is held up, and `count` more that then wait for it."""
    database.open.clear()
    begun = [pool.submit(calls, n=0)]
    assert database.begun.acquire(timeout=60)
    for n in range(1, count + 1):
        begun.append(pool.submit(calls, n=n))
        eventually(lambda n=n: len(calls._waiting) == n)
    return begun


def test_a_lone_call_waits_for_nobody(calls: Together, database: Database) -> None:
    assert [calls(n=n) for n in (1, 2)] == [(1, 2), (2, 3)]
    assert database.alone == [1, 2]
    assert not database.statements


def test_calls_that_wait_are_made_by_one_statement(
    calls: Together, database: Database, pool: ThreadPoolExecutor
) -> None:
    begun = waiting(pool, calls, database, 5)
    database.open.set()
    assert [each.result(60) for each in begun] == [(n, n + 1) for n in range(6)]
    assert database.alone == [0]
    assert database.statements == [[1, 2, 3, 4, 5]]
    assert calls(n=9) == (9, 10)  # nobody leads any more


def test_a_statement_takes_so_many_and_no_more(
    calls: Together, database: Database, pool: ThreadPoolExecutor
) -> None:
    begun = waiting(pool, calls, database, MOST + 2)
    database.open.set()
    assert [each.result(60)[0] for each in begun] == [*range(MOST + 3)]
    assert [len(each) for each in database.statements] == [MOST, 2]


@pytest.mark.parametrize("answered", [0, 2])
def test_what_a_statement_does_not_answer_is_called_alone(
    calls: Together, database: Database, pool: ThreadPoolExecutor, answered: int
) -> None:
    """The third raised, and ended the statement: it raises alone, and the others are answered."""
    database.answered, database.fails = answered, lambda n: n == 3
    begun = waiting(pool, calls, database, 5)
    database.open.set()
    for n, each in enumerate(begun):
        if n == 3:
            with pytest.raises(DatabaseError, match="3"):
                each.result(60)
        else:
            assert each.result(60) == (n, n + 1)
    assert sorted(database.alone) == [0, *range(1 + answered, 6)]


def test_a_statement_that_is_lost_is_not_repeated_but_each_of_its_calls_is(
    calls: Together, database: Database, pool: ThreadPoolExecutor
) -> None:
    database.is_lost = True
    begun = waiting(pool, calls, database, 4)
    database.open.set()
    assert [each.result(60) for each in begun] == [(n, n + 1) for n in range(5)]
    assert database.statements == [[1, 2, 3, 4]]
    assert sorted(database.alone) == [0, 1, 2, 3, 4]


def test_a_call_that_leads_and_raises_lets_the_next_lead(
    calls: Together, database: Database, pool: ThreadPoolExecutor
) -> None:
    database.fails = lambda n: n == 0
    begun = waiting(pool, calls, database, 2)
    database.open.set()
    with pytest.raises(DatabaseError):
        begun[0].result(60)
    assert [each.result(60) for each in begun[1:]] == [(1, 2), (2, 3)]


def test_a_call_does_not_wait_long_for_a_statement_that_hangs(
    calls: Together,
    database: Database,
    pool: ThreadPoolExecutor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(together, "PATIENCE_S", 0.05)
    database.open.clear()
    first = pool.submit(calls, n=0)
    assert database.begun.acquire(timeout=60)
    second = pool.submit(calls, n=1)
    assert database.begun.acquire(timeout=60)  # alone, beside the first
    assert not first.done()
    database.open.set()
    assert (first.result(60), second.result(10)) == ((0, 1), (1, 2))
    assert not calls._waiting and not database.statements


@pytest.mark.django_db
def test_inside_a_transaction_a_call_is_made_alone(calls: Together, database: Database) -> None:
    with calls._mutex:
        calls._is_under_way = True
    assert calls(n=4) == (4, 5)
