"""Do work of the system in a process that stops at one place, where a test kills it.

Each function says by `here` that it has come to the place (`forking.stopped`).
"""

import time
import uuid
from collections.abc import Callable
from datetime import date
from multiprocessing.connection import Connection
from typing import Any, NoReturn

import django

django.setup()

from django.db import connection  # noqa: E402

from core.database.locks import Lock, session_hold  # noqa: E402
from core.database.reading import progress  # noqa: E402
from core.draws import conducting  # noqa: E402
from core.journal.acting import name_process  # noqa: E402
from core.longwork.services import work_do  # noqa: E402
from core.nights import services as nights  # noqa: E402
from core.nights.jobs import Job, Outcome  # noqa: E402
from core.proofs import log, merkle  # noqa: E402
from core.staff.models import StaffSession  # noqa: E402
from core.staff.services import actor_of  # noqa: E402
from lototrot import tasks  # noqa: E402
from lototrot.services.settlement import settling  # noqa: E402
from tests.support.contributing import contributed  # noqa: E402

ENDLESS = "tests.endless"
"""The only job of the night that `long_work` runs."""
_HOLDERS: dict[str, Any] = {
    "settlement": settling,
    "ledger": settling.ledger,
    "log": log,
    "merkle": merkle,
    "tasks": tasks,
}


def settle(here: Connection, contest: int, module: str, name: str, when: str) -> None:
    """Settle a contest; stop `before` or `after` a function of a module."""
    _stop_at(_HOLDERS[module], name, here, before=when == "before")
    tasks.settle(contest)


def seal(here: Connection, contest: int, module: str, name: str) -> None:
    """Seal a contest; stop after a function of a module."""
    _stop_at(_HOLDERS[module], name, here)
    tasks.seal(contest)


def draw(here: Connection, step: str, place: str, ident: str, session: str) -> None:
    """Take a step of a public draw; stop after a function in it, before its commit."""
    _stop_at(conducting, place, here)
    by = actor_of(StaffSession.objects.get(pk=session))
    at = uuid.UUID(ident)
    if step == "commit":
        conducting.draw_commit(by=by, draw=at, source="dice", pieces=10)
    elif step == "enter":
        conducting.draw_enter(by=by, draw=at, source="dice", text="3161425364", witness="Player")
    else:
        conducting.draw_certify(by=by, draw=at)


def night(here: Connection, where: str) -> None:
    """Run a night of one job `a`; stop `in` the job, or `after` it and before it is on record."""

    def run(day: date) -> Outcome:
        if where == "in":
            _stop(here)
        return Outcome()

    if where == "after":
        changed: Any = nights
        changed._finish = lambda *_: _stop(here)
    job = Job(name="a", title="a", order=1, run=run, whole=where != "in")
    with contributed("nightly", "JOBS", [job]):
        nights.night_run()


def long_work(here: Connection, pk: int) -> None:
    """Do long work that is a night; stop in its only job, after telling how far that is."""

    def run(day: date) -> NoReturn:
        progress.tell(1, 2)
        _stop(here)

    name_process("worker:long")
    with contributed("nightly", "JOBS", [Job(name=ENDLESS, title="", order=1, run=run)]):
        work_do(pk)


def wait_long(here: Connection) -> None:
    """Hold the lock of the nights, and wait for a quarter of an hour in one statement."""
    with session_hold(Lock.NIGHT) as alone, connection.cursor() as cursor:
        here.send(alone)
        cursor.execute("SELECT pg_sleep(900)")


def _stop_at(holder: Any, name: str, here: Connection, *, before: bool = False) -> None:
    """Make a function of a module stop the process, when it has done its work or `before`."""
    original: Callable[..., Any] = getattr(holder, name)

    def stopping(*arguments: Any, **named: Any) -> NoReturn:
        if not before:
            original(*arguments, **named)
        _stop(here)

    setattr(holder, name, stopping)


def _stop(here: Connection) -> NoReturn:
    here.send(True)
    time.sleep(600)
    raise AssertionError("nobody killed it")
