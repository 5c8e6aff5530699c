"""Check that the server's transaction counter has not been reset; the journal is ordered by it.

A physical copy of a server keeps its counter. A server into which a dump was restored has a counter
of its own, which may be below the numbers in the rows: `journal_note()` refuses to write there
until the counter is set beyond them.
"""

from dataclasses import dataclass

from django.db import connection

# The journal's numbers are below the end of a snapshot: a batch ends where an earlier snapshot
# ended, and visible acts are below the end of this one. Only this transaction's act may be above.
_NUMBERS = """
SELECT greatest((SELECT end_xid FROM journal_batch ORDER BY number DESC LIMIT 1),
                (SELECT max(journal_xid) + 1 FROM journal_act), 0),
       greatest(pg_snapshot_xmax(pg_current_snapshot())::text::bigint,
                pg_current_xact_id_if_assigned()::text::bigint + 1)
"""


@dataclass(frozen=True, slots=True)
class Anew:
    """A reset counter: rows have numbers up to, but not including, `used`; `next` is below it."""

    used: int
    next: int

    @property
    def epoch(self) -> int:
        """Return the argument for `pg_resetwal --epoch`: every number of that epoch is above
        `used`.
        """
        return (self.used >> 32) + 1

    def __str__(self) -> str:
        return (
            f"the server is at transaction {self.next}, and the journal has {self.used - 1}:"
            f" stop it and run pg_resetwal --epoch {self.epoch} (docs/operations.md)"
        )


def started_anew() -> Anew | None:
    """Return the two numbers if the server's counter is below the journal's; None if all is
    well.
    """
    with connection.cursor() as cursor:
        cursor.execute(_NUMBERS)
        used, next_xid = cursor.fetchone()
    return Anew(used, next_xid) if used > next_xid else None
