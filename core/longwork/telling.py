"""Store the progress of work, while its own transactions are open."""

import time

from django.db import DatabaseError, connection

from core.database.reading.progress import GivenUp, Progress
from core.longwork.models import LongWork

EVERY_S = 1.0
"""Progress is stored once in this time at most, however often it is told."""
_TABLE = LongWork._meta.db_table


class Teller:
    """Receive the progress of work, and store it through a connection of its own.

    So others see it, though the work is in a transaction or only reads. What cannot be stored does
    not hinder the work.
    """

    def __init__(self, pk: int) -> None:
        self._pk = pk
        self._connection = connection.copy()
        self._stored = Progress()
        self._stored_at_s = 0.0

    def __enter__(self) -> "Teller":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def hear(self, progress: Progress) -> None:
        """Store the progress, unless the last was stored just now and is of the same step.

        Raises GivenUp if the work has ended on record.
        """
        now_s = time.monotonic()
        is_same_step = (progress.name, progress.number) == (self._stored.name, self._stored.number)
        if is_same_step and not progress.end and now_s - self._stored_at_s < EVERY_S:
            return
        self._stored, self._stored_at_s = progress, now_s
        try:
            with self._connection.cursor() as cursor:
                cursor.execute(
                    f"UPDATE {_TABLE} SET step = %s, number = %s, steps = %s, done = %s, total = %s"
                    " WHERE id = %s AND state = 'running'",
                    [
                        progress.name[:120],
                        progress.number,
                        progress.steps,
                        progress.done,
                        progress.total,
                        self._pk,
                    ],
                )
                cursor.execute(f"SELECT ended_at FROM {_TABLE} WHERE id = %s", [self._pk])
                row = cursor.fetchone()
        except DatabaseError:
            self._connection.close()
            return
        if row and row[0]:
            raise GivenUp
