"""Do work in a process that kills itself at one place: a commit, or the call of a function.

So nothing of the process is left to clean up after it, as after `kill -9` at its worst moment.
"""

import importlib
import os
import signal
import tempfile
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from typing import Any, Literal

import django

django.setup()

from django.db import connection, connections  # noqa: E402
from django.db.backends.base.base import BaseDatabaseWrapper  # noqa: E402

from core.journal.acting import name_process  # noqa: E402
from tests.support.concurrency.forking import Forked  # noqa: E402
from tests.support.concurrency.sales import eventually  # noqa: E402

NAME = "tests: to be killed"
WRITES = "SELECT pg_current_xact_id_if_assigned() IS NOT NULL"
_TABLES = """
SELECT relname FROM pg_class
 WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname
"""
Act = Callable[[], object]
When = Literal["before", "after"]


def killed(act: Act, when: When, place: int | str, environment: Mapping[str, str]) -> bool:
    """Do an act in a process that is killed before or after a place; return whether it came there.

    A place is a commit by its number, where those that wrote nothing do not count, or a function
    by its dotted name. The server has seen the end of the process when this returns.
    """
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "dying"
        arguments = (act, when, place)
        child = Forked(_do, *arguments, environment=environment, output=output, name=NAME)
        code = child.wait()
        assert code in (0, -signal.SIGKILL), child.errors()
    eventually(_server_has_noticed)
    return code != 0


def whole_or_not_there(act: Act, environment: Mapping[str, str]) -> None:
    """Assert that an act of one commit leaves nothing if it is killed before that, that all of it
    is there after that, and that doing it again changes nothing.
    """
    untouched = everything()
    assert killed(act, "before", 1, environment)
    assert everything() == untouched
    assert killed(act, "after", 1, environment)
    done = everything()
    assert done != untouched
    act()
    assert everything() == done


def everything() -> dict[str, tuple[int, str]]:
    """Return the number of rows of each table, and a digest of them."""
    with connections["owner"].cursor() as owner:
        owner.execute(_TABLES)
        owner.execute(
            " UNION ALL ".join(
                f"SELECT '{table}', count(*), md5(string_agg(t::text, '' ORDER BY t::text))"
                f' FROM "{table}" t'
                for (table,) in owner.fetchall()
            )
        )
        return {table: (rows, digest) for table, rows, digest in owner.fetchall()}


def _server_has_noticed() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT NOT EXISTS (SELECT FROM pg_stat_activity"
            " WHERE application_name = %s AND datname = current_database())",
            [NAME],
        )
        return bool(cursor.fetchone()[0])


def _do(act: Act, when: When, place: int | str) -> None:
    name_process("command:tests")
    numbers = count(1)

    def is_commit_of_that_number(database: Any) -> bool:
        (writes,) = database.connection.execute(WRITES).fetchone()
        return bool(writes) and next(numbers) == place

    if isinstance(place, str):
        module, _, name = place.rpartition(".")
        _kills(importlib.import_module(module), name, when, lambda *_: True)
    else:
        _kills(BaseDatabaseWrapper, "_commit", when, is_commit_of_that_number)
    act()


def _kills(holder: Any, name: str, when: When, is_here: Callable[..., bool]) -> None:
    """Let a function kill this process before or after its work, in the call that counts."""
    do: Callable[..., Any] = getattr(holder, name)

    def doing(*arguments: Any, **named: Any) -> Any:
        if not is_here(*arguments):
            return do(*arguments, **named)
        if when == "after":
            do(*arguments, **named)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError("still alive")

    setattr(holder, name, doing)
