"""Let calls wait for each other, and count those that are made by one statement."""

import json
from collections.abc import Callable, Iterable, Sized
from concurrent.futures import Future
from typing import Any

import psycopg
import pytest

from core.database import together
from tests.support.concurrency import sales
from tests.support.concurrency.sales import PATIENCE_S, apart, eventually
from tests.support.databases import Database


def counted_statements(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that gets the number of calls of each statement, from now on.

    Calls wait for each other as long as it takes.
    """
    statements: list[int] = []
    once = together.run_prepared_once

    def counted(statement: str, parameters: list[str]) -> tuple[Any, ...]:
        statements.append(len(json.loads(parameters[0])))
        return once(statement, parameters)

    monkeypatch.setattr(together, "PATIENCE_S", PATIENCE_S)
    monkeypatch.setattr(together, "run_prepared_once", counted)
    return statements


def begun_in_order(waiting: Sized, acts: Iterable[Callable[[], Any]]) -> list[Future[Any]]:
    """Begin the acts, each once the one before it waits."""
    begun = list[Future[Any]]()
    for act in acts:
        before = len(waiting)
        begun.append(apart(lambda act=act: sales.together(act)[0]))
        eventually(lambda before=before: len(waiting) > before)
    return begun


def held_up(
    database: Database, table: str, waiting: Sized, acts: tuple[Callable[[], Any], ...]
) -> list[Any]:
    """Hold the first act up before it writes to the table, and begin the others, which wait for it
    in order. Return what all gave or raised.
    """
    waits = f"SELECT count(*) FROM pg_locks WHERE relation = '{table}'::regclass AND NOT granted"
    with psycopg.connect(database.owner_url) as owner:
        owner.execute(f"LOCK TABLE {table} IN EXCLUSIVE MODE")
        first = apart(lambda: sales.together(acts[0])[0])
        eventually(lambda: owner.execute(waits).fetchone() == (1,))
        begun = [first, *begun_in_order(waiting, acts[1:])]
    return [each.result(PATIENCE_S) for each in begun]
