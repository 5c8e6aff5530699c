"""Send the tasks that the database says are due.

Each app lists its tasks as `DUE` in its `tasks.py`. A task is idempotent and reads the state again,
so sending it twice is harmless.
"""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import structlog
from django.db import DatabaseError, connection, transaction

from core.contributions import contributed_items
from core.database import clock
from core.kernel.errors import DomainError

if TYPE_CHECKING:
    from celery import Task  # a process that neither sends nor does tasks starts without it

_SWEEP: Final = "core.config.tasks.sweep"
_EXPIRES_S: Final = 30
_LISTING: Final = 0
_TOGETHER_S: Final = 0.02
_asks_soon: threading.Timer | None = None
log = structlog.get_logger("due_work")

Failures = dict[tuple[str, int], str]
"""Codes of refusals and errors by task and id."""


@dataclass(frozen=True, slots=True)
class DueWork:
    """A task that is due for each id that `due()` returns."""

    task: "Task"
    due: Callable[[], Iterable[int]]


def due_work() -> tuple[DueWork, ...]:
    """Return the due work of all apps, in app order and in the order in which an app lists it."""
    return contributed_items("tasks", "DUE")


def note_worker() -> None:
    """Note that a worker has answered: broker, beat and worker are there. It waits for no disk."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = off")
        cursor.execute("UPDATE database_clockwatch SET swept_at = core_server_clock()")


def sweep_soon() -> None:
    """Ask for a sweep once this transaction is committed: it makes work due that others wait for.

    It is asked for once, however much is made due within a few hundredths of a second. A process
    that did not load the project's Celery application, such as a command of the console, has no
    broker and asks nobody: the next sweep of the beat comes a few seconds later.
    """
    from celery import current_app  # a process that never asks starts without it

    if current_app.conf.broker_url:
        transaction.on_commit(_sweep_begin, robust=True)


def _sweep_begin() -> None:
    """Ask in a thread, so that a person who closes a contest never waits for the broker."""
    global _asks_soon  # noqa: PLW0603  (one for the process)
    if _asks_soon and _asks_soon.is_alive():
        return  # it asks after this commit anyway; one that died, as by a fork, is started anew
    _asks_soon = threading.Timer(_TOGETHER_S, _sweep_ask)
    _asks_soon.daemon = True
    _asks_soon.start()


def _sweep_ask() -> None:
    global _asks_soon  # noqa: PLW0603
    from celery import current_app
    from kombu.exceptions import OperationalError

    _asks_soon = None  # what is committed from now on is asked for again
    try:
        current_app.send_task(_SWEEP, expires=_EXPIRES_S)
    except OperationalError as error:
        log.info("sweep not asked for", error=type(error).__name__)


def send_due() -> int:
    """Send every task that the database says is due; return the number of tasks sent.

    Nothing is due while the clock cannot be trusted: a contest that is closed stays closed. Work
    that cannot be listed is an error once all other work is sent.
    """
    if clock.is_unsound():
        return 0
    sent, failed = 0, None
    for work in due_work():
        due, error = _listed(work)
        failed = failed or error
        for pk in due:
            work.task.delay(pk)
            sent += 1
    if failed:
        raise failed
    return sent


def _listed(work: DueWork) -> tuple[list[int], Exception | None]:
    """Return the ids that are due, or none and the error.

    Raises the error if the server is lost: then nothing can be listed.
    """
    try:
        return list(work.due()), None
    except Exception as error:
        log.exception("due work not listed", task=work.task.name)
        if not connection.is_usable():
            raise
        return [], error


def do_due() -> tuple[dict[str, int], Failures]:
    """Do here everything that is due; return how much was done by task, and what failed.

    Work can make more work due, so continue until nothing is due or nothing that is due can be
    done. A failure does not stop the rest; work that cannot be listed fails under the id 0.
    """
    done = {work.task.name: 0 for work in due_work()}
    failed: Failures = {}
    progress = True
    while progress:
        progress = False
        for work in due_work():
            name = work.task.name
            if (name, _LISTING) in failed:
                continue
            due, error = _listed(work)
            if error:
                failed[name, _LISTING] = _code_of(error)
            for pk in due:
                if (name, pk) not in failed:
                    did = _did(work, pk, failed)
                    done[name] += did
                    progress = progress or did
    return {name: count for name, count in done.items() if count}, failed


def _did(work: DueWork, pk: int, failed: Failures) -> bool:
    """Do a piece of work. Return whether anything was done; a failure is added to `failed`.

    By a clock that became wrong meanwhile nothing more is done.
    """
    try:
        clock.need_sound()
        return bool(work.task(pk))
    except Exception as error:
        if not isinstance(error, DomainError | DatabaseError):
            log.exception("due work failed", task=work.task.name, id=pk)
        failed[work.task.name, pk] = _code_of(error)
        return False


def _code_of(error: Exception) -> str:
    return str(getattr(error, "code", type(error).__name__))
