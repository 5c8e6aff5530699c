"""Who is acting, said to the database before anything is written: the journal takes it from there.

An act is begun outside of its transactions, and told to the session, so that a service may commit
a failure and raise. A new connection is told as well. What nobody said stays empty in the journal.
"""

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from celery.signals import task_postrun, task_prerun
from django.db import Error, connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.dispatch import receiver
from psycopg.pq import TransactionStatus


@dataclasses.dataclass(frozen=True, slots=True)
class Acting:
    """An act by its name, who does it, and the id of the request."""

    name: str = ""
    staff: int | None = None
    staff_session: int | None = None
    terminal: int | None = None
    operator: int | None = None
    request_id: str = ""

    def told(self) -> str:
        """As `journal_note()` reads it."""
        parts = dataclasses.astuple(self)
        return "|".join("" if each is None else str(each).replace("|", "/") for each in parts)


_process = Acting()
_acting: ContextVar[Acting | None] = ContextVar("acting", default=None)


def name_process(name: str) -> None:
    """What this process does when nobody says otherwise, in any thread: a command's name."""
    global _process  # noqa: PLW0603  (a process has one)
    _process = Acting(name)


def present() -> Acting:
    return _acting.get() or _process


def begin(act: Acting | None) -> None:
    """From here on, what this thread writes is of `act`; None: of the process itself."""
    _acting.set(act)
    _tell(connection, present())


def end() -> None:
    """Whoever writes now says so for himself."""
    if _acting.get() is None:
        return
    try:
        begin(None)
    except Error:
        connection.close()  # what a lost session was told is lost with it


@contextmanager
def acting(name: str, **who: Any) -> Iterator[None]:
    """`begin` and, whatever happens, what was before."""
    before = _acting.get()
    begin(Acting(name, **who))
    try:
        yield
    finally:
        begin(before)


def _tell(to: BaseDatabaseWrapper, act: Acting) -> None:
    """A session that is not open yet is told when it is; one in ruins loses the setting anyway."""
    session = to.connection
    if session is None or session.closed:
        return
    if session.info.transaction_status == TransactionStatus.INERROR:
        return
    with to.cursor() as cursor:
        cursor.execute("SELECT set_config('core.act', %s, false)", [act.told()])


@receiver(connection_created)
def _tell_new(connection: BaseDatabaseWrapper, **_: Any) -> None:
    if present() != Acting():
        _tell(connection, present())


def follow_tasks() -> None:
    """Tasks of Celery are acts by their names."""
    before: dict[str, Acting | None] = {}

    @task_prerun.connect(weak=False)  # type: ignore[untyped-decorator]
    def _prerun(task_id: str, task: Any, **_: Any) -> None:
        before[task_id] = _acting.get()
        begin(Acting(f"task:{task.name}", request_id=task_id))

    @task_postrun.connect(weak=False)  # type: ignore[untyped-decorator]
    def _postrun(task_id: str, **_: Any) -> None:
        begin(before.pop(task_id, None))
