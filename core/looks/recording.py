"""Put on record that somebody looks, before what they look at is shown.

Who looks, and through which door, is the act in progress (`core.journal.acting`). A model whose
rows are of one player says so (`Guarded.looks_recorded`); the pages of the administration and the
operations of the API record a look at its rows by themselves, and what opens encrypted content
records it before it opens it. What cannot be recorded is not shown.
"""

import datetime
from typing import Any

import psycopg
from django.db import Error, connection, transaction

from core.database import clock
from core.database.models import Guarded
from core.journal import acting
from core.kernel.errors import Unavailable
from core.looks.models import Look

REPORT, EXPORT, BY_CODE = "report", "export", "code"


class LookNotRecorded(Unavailable):
    code = "look_not_recorded"
    message = "It is not shown, because the database cannot record now who looks."


def look(kind: str, subject: object = "", *, asked: str = "") -> None:
    """Record a look at a subject of a kind, or at a list. Raises LookNotRecorded.

    A database that only reads (a standby, or a transaction that was opened for reading) refuses
    the row, and so the look.
    """
    act = acting.present()
    try:
        with transaction.atomic():
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


_SEEN = """
SELECT EXISTS (SELECT FROM looks_look WHERE kind = %s AND subject = %s AND operator_id = %s
                  AND at > core_now() - %s * interval '1 second')
"""


def look_by_operator(
    kind: str,
    subject: object,
    *,
    act: acting.Acting,
    unless_within: datetime.timedelta,
    asked: str = "",
) -> None:
    """Record a look of an operator at a terminal, unless there is one of that long ago.

    So a terminal that asks again and again writes no more rows.
    """
    within_s = unless_within.total_seconds()
    with connection.cursor() as cursor:
        cursor.execute(_SEEN, [kind, str(subject), act.operator, within_s])
        if cursor.fetchone()[0]:
            return
    before = acting.present()
    acting.begin(act)
    try:
        look(kind, subject, asked=asked)
    finally:
        acting.begin(before)
