"""Tell the database who is acting, before anything is written; the journal reads it from there.

An act begins outside its transactions and is set for the session, so that a service may commit a
failure and raise. A new connection is told as well. Without an act, the fields of the journal stay
empty.
"""

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.db import Error, connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.signals import connection_created
from django.dispatch import receiver
from psycopg.pq import TransactionStatus


@dataclasses.dataclass(frozen=True, slots=True)
class Acting:
    """An act: its name, the person or terminal that does it, and the id of the request."""

    name: str = ""
    staff: int | None = None
    staff_session: int | None = None
    terminal: int | None = None
    operator: int | None = None
    request_id: str = ""

    def as_note(self) -> str:
        """Return the act as the text that `journal_note()` reads."""
        parts = (
            *(self.name, self.staff, self.staff_session),
            *(self.terminal, self.operator, self.request_id),
        )  # `astuple` copies each of them deeply
        return "|".join("" if part is None else str(part).replace("|", "/") for part in parts)


_process = Acting()
_acting: ContextVar[Acting | None] = ContextVar("acting", default=None)


def name_process(name: str) -> None:
    """Name the acts of this process, in every thread, where no other act has begun. A command
    does.
    """
    global _process  # noqa: PLW0603  (a process has one)
    _process = Acting(name)


def present() -> Acting:
    """Return the act in progress, the process's own if none has begun."""
    return _acting.get() or _process


def begin(act: Acting | None) -> None:
    """Begin an act: what this thread writes from now on belongs to it. None: to the process
    itself.
    """
    _acting.set(act)
    _tell(connection, present())


def end() -> None:
    """End the act of this thread. Close a connection that cannot be told."""
    if _acting.get() is None:
        return
    try:
        begin(None)
    except Error:
        connection.close()  # the setting ends with the session


@contextmanager
def acting(name: str, **who: Any) -> Iterator[None]:
    """Begin an act for a block of code, and restore the act before it, also after an exception."""
    before = _acting.get()
    begin(Acting(name, **who))
    try:
        yield
    finally:
        begin(before)


def _tell(wrapper: BaseDatabaseWrapper, act: Acting) -> None:
    """Set the act on an open connection.

    A connection that is not open yet is told when it opens; a failed transaction loses the setting.
    """
    session = wrapper.connection
    if session is None or session.closed:
        return
    if session.info.transaction_status == TransactionStatus.INERROR:
        return
    with wrapper.cursor() as cursor:
        cursor.execute(
            "SELECT set_config('core.act', %s, false), set_config('application_name', %s, false)",
            [act.as_note(), _session_name(wrapper, act)],
        )


def _session_name(wrapper: BaseDatabaseWrapper, act: Acting) -> str:
    """Return the session's name in the server's lists and log: the process, the request's id."""
    process = wrapper.settings_dict["OPTIONS"].get("application_name", "")
    return f"{process} {act.request_id}".strip()[:63]


@receiver(connection_created)
def _tell_new(connection: BaseDatabaseWrapper, **_: Any) -> None:
    if present() != Acting():
        _tell(connection, present())


def follow_tasks() -> None:
    """Begin an act for each Celery task, by the task's name, and end it after the task."""
    from celery.signals import task_postrun, task_prerun  # slow: for who does or sends tasks

    before: dict[str, Acting | None] = {}

    @task_prerun.connect(weak=False)  # type: ignore[untyped-decorator]
    def _prerun(task_id: str, task: Any, **_: Any) -> None:
        before[task_id] = _acting.get()
        begin(Acting(f"task:{task.name}", request_id=task_id))

    @task_postrun.connect(weak=False)  # type: ignore[untyped-decorator]
    def _postrun(task_id: str, **_: Any) -> None:
        begin(before.pop(task_id, None))
