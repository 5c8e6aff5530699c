"""Do work in which PostgreSQL is killed whole at one place: a commit, or the call of a function."""

import importlib
import os
import signal
from itertools import count
from typing import Any

import psycopg
import pytest
from django.db import Error, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from core.tools.embedded.postgres import Postgres
from tests.support.concurrency.dying import WRITES, Act, When, everything
from tests.support.concurrency.sales import eventually


def crashed(server: Postgres, act: Act, when: When, place: int | str) -> bool:
    """Do an act, before or after a place of which the server is killed; return whether it came
    there.

    A place is one of `dying.killed`. The server has recovered when this returns. What the act
    raises without a kill is raised.
    """
    came, numbers = False, count(1)

    def is_here(first: Any = None, *_: Any) -> bool:
        if isinstance(place, str):
            return True
        (writes,) = first.connection.execute(WRITES).fetchone()
        return bool(writes) and next(numbers) == place

    if isinstance(place, str):
        module, _, name = place.rpartition(".")
        holder: Any = importlib.import_module(module)
    else:
        holder, name = BaseDatabaseWrapper, "_commit"
    do = getattr(holder, name)

    def crashing(*arguments: Any, **named: Any) -> Any:
        nonlocal came
        if came or not is_here(*arguments):
            return do(*arguments, **named)
        came = True
        if when == "before":
            session_killed(server)
        answer = do(*arguments, **named)
        if when == "after":
            session_killed(server)
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(holder, name, crashing)
        try:
            act()
        except Error:
            if not came:
                raise
    connections.close_all()
    return came


def whole_or_not_there(server: Postgres, act: Act) -> None:
    """Assert that an act of one commit leaves nothing if the server dies before that, that all of
    it is there if it dies after that, and that doing it again changes nothing.
    """
    untouched = everything()
    assert crashed(server, act, "before", 1)
    assert everything() == untouched
    assert crashed(server, act, "after", 1)
    done = everything()
    assert done != untouched
    act()
    assert everything() == done


def session_killed(server: Postgres) -> None:
    """Kill a process of the server, that of our session: it then ends all others, and recovers."""
    before = checkpointer_began(server)
    connection.ensure_connection()  # an act may be between two transactions, or on the owner's
    os.kill(connection.connection.info.backend_pid, signal.SIGKILL)
    eventually(lambda: checkpointer_began(server) not in (None, before))


def checkpointer_began(server: Postgres) -> tuple[Any, ...] | None:
    """Return since when the server has a checkpointer, which a crash ends; None without an
    answer.
    """
    try:
        with server._connect() as session:
            return session.execute(
                "SELECT backend_start FROM pg_stat_activity WHERE backend_type = 'checkpointer'"
            ).fetchone()
    except psycopg.OperationalError:
        return None
