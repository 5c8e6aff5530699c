"""Lock acts that take minutes when a contest has millions of tickets: sealing and settling."""

from django.db import OperationalError, connection

from core.database.locks import Lock, hold
from core.database.reading.asking import fetch_value
from core.kernel.errors import Unavailable

# The act itself may take minutes, but it must not wait minutes for another such act.
_SESSION = (
    "SET LOCAL lock_timeout = '1s'",
    "SET LOCAL statement_timeout = 0",
    "SET LOCAL jit = off",
)
_LOCK_NOT_AVAILABLE = "55P03"
_HELD = """
SELECT EXISTS (
  SELECT FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
     AND classid::bigint = %s AND objid::bigint = %s AND objsubid = 2)
"""


def hold_for_long(busy: Unavailable, alone: tuple[Lock, int], *, contest_id: int) -> None:
    """Hold `alone` exclusively, and keep the contest from changing.

    Raise `busy` at once if impossible. The contest's own lock is held shared: a late sale is then
    refused at once, not after the act.
    """
    with connection.cursor() as cursor:
        cursor.execute("; ".join(_SESSION))
        try:
            for lock in sorted([alone, (Lock.CONTEST, contest_id)]):
                hold(lock, shared=lock != alone)
        except OperationalError as error:
            if getattr(error.__cause__, "sqlstate", None) == _LOCK_NOT_AVAILABLE:
                raise busy from error
            raise
        cursor.execute("SET LOCAL lock_timeout TO DEFAULT")


def under_way(space: Lock, key: int) -> bool:
    """Return whether an act that holds this exclusive lock is running now in any process."""
    return bool(fetch_value(_HELD, [int(space), key & 0x7FFFFFFF]))
