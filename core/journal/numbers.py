"""Transaction numbers go on for ever, or the journal has no order.

A physical copy of a server keeps its counter. One that a dump was restored into has its own, which
may be below what the rows say: `journal_note()` refuses to write there before it is set beyond.
"""

from dataclasses import dataclass

from django.db import connection

# A batch ends where a snapshot once ended, and acts that are seen are before the end of this one,
# but for the present transaction's own.
_NUMBERS = """
SELECT greatest((SELECT max(end_xid) FROM journal_batch), (SELECT max(journal_xid) + 1
                  FROM journal_act), 0),
       greatest(pg_snapshot_xmax(pg_current_snapshot())::text::bigint,
                pg_current_xact_id_if_assigned()::text::bigint + 1)
"""


@dataclass(frozen=True, slots=True)
class Anew:
    """Rows have numbers up to, not including, `used`; the server goes on with `next`, below it."""

    used: int
    next: int

    @property
    def epoch(self) -> int:
        """What to give to `pg_resetwal --epoch`: any number of it is beyond all that were used."""
        return (self.used >> 32) + 1

    def __str__(self) -> str:
        return (
            f"the server is at transaction {self.next}, and the journal has {self.used - 1}:"
            f" stop it and run pg_resetwal --epoch {self.epoch} (docs/operations.md)"
        )


def started_anew() -> Anew | None:
    """Whether the server counts transactions from below what the journal has."""
    with connection.cursor() as cursor:
        cursor.execute(_NUMBERS)
        used, coming = cursor.fetchone()
    return Anew(used, coming) if used > coming else None
