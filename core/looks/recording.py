"""Put on record that somebody looks, before what they look at is shown.

The act in progress (`core.journal.acting`) says who looks and through which door. A model whose
rows are of one player says so (`Guarded.looks_recorded`). The pages of the administration and the
operations of the API then record each look at its rows by themselves. A function that opens
encrypted content records the look first. What cannot be recorded is not shown.
"""

import datetime
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import Error, transaction

from core.database import clock
from core.database.models import Guarded
from core.database.together import Together
from core.journal import acting
from core.kernel.errors import Unavailable
from core.looks.models import Look

REPORT, EXPORT, BY_CODE = "report", "export", "code"
_by_operator = Together("looks_by_operator", (bool,))


class LookNotRecorded(Unavailable):
    code = "look_not_recorded"
    message = "It is not shown, because the database cannot record now who looks."


def look(kind: str, subject: object = "", *, asked: str = "") -> None:
    """Record a look at a subject of a kind, or at a list. Raises LookNotRecorded.

    A database that only reads (a standby, or a transaction that was opened for reading) refuses
    the row, and so the look.
    """
    act = acting.present()
    with _refused_if_it_only_reads(), transaction.atomic():
        Look.objects.create(
            at=clock.now(),
            door=act.name,
            user_id=act.staff,
            session_id=act.staff_session,
            terminal_id=act.terminal,
            operator_id=act.operator,
            kind=kind,
            subject=str(subject)[:120],
            asked=asked[:400],
        )


@contextmanager
def _refused_if_it_only_reads() -> Iterator[None]:
    try:
        yield
    except Error as error:
        if isinstance(error.__cause__, psycopg.errors.ReadOnlySqlTransaction):
            raise LookNotRecorded from error
        raise


def is_watched(model: type[Any]) -> bool:
    """Return whether looks at rows of the model are put on record."""
    return bool(getattr(model, "looks_recorded", False))


def look_at_row(row: Guarded) -> None:
    """Record a look at a row, if its model wants it. Raises LookNotRecorded."""
    if is_watched(type(row)):
        look(*row.seen_as())


def look_at_list(model: type[Any], *, asked: str = "") -> None:
    """Record a look at a list of rows, if their model wants it. Raises LookNotRecorded."""
    if is_watched(model):
        look(model._meta.label_lower, asked=asked)


def look_by_operator(
    kind: str,
    subject: object,
    *,
    act: acting.Acting,
    unless_within: datetime.timedelta,
    asked: str = "",
) -> None:
    """Record a look of an operator at a terminal, unless an equal one was recorded in that time.

    So a terminal that asks again and again writes no more rows. Looks that wait at the same time
    are one statement, as a check stands before most payments. Raises LookNotRecorded.
    """
    with _refused_if_it_only_reads():
        _by_operator(
            act=act.as_note(),
            door=act.name,
            terminal=act.terminal,
            operator=act.operator,
            kind=kind,
            subject=str(subject),
            asked=asked,
            within=unless_within,
        )
