"""Take advisory locks of the transaction, in one fixed order.

A transaction takes locks in the order of `Lock`: those that it needs together in one call, or lower
ones first. SQL files name a lock as `{lock.contest}`; `core.database.sql_files` replaces the name
by the number.
"""

import enum
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from core.database.reading.asking import fetch_all, fetch_value


class Lock(enum.IntEnum):
    """The name spaces of locks. The second key of each is a row's id (0 where there is only
    one).
    """

    ATTACHING = -6  # held by the session that attaches or drops an archived month, as YYYYMM
    DELIVERY = -5  # held by the session that delivers the public log to a receiver, by its id
    LONG_WORK = -4  # held by the session that does a piece of long work, by its id
    SWEEP = -3  # held by the session of a worker that sweeps without the broker
    MIGRATE = -2  # held by the session of `manage.py migrate`: one at a time
    NIGHT = -1  # held by the session, not by a transaction: see `session_hold`
    IDEMPOTENCY = 0
    PROPOSAL = 1
    REQUEST = 2
    CLOCK = 3
    MEETING = 4
    CHAIN = 5
    CONTEST = 6
    SALES = 7  # shared by every sale; exclusive for what ends a right to sell
    TICKET = 8
    GAME = 9  # a concrete game of Promotrot: planning and closing its emissions
    EMISSION = 10  # shared by every award; exclusive for what changes the emission's state
    FIGURES = 11  # shared by opening contests; exclusive for amending figures and for bet types
    REGISTER = 12  # the register of premises and terminals: one opening at a time
    PERIOD = 14  # the closing of a month
    STATEMENT = 15  # the statements of premises and their remittances
    CASH = 20  # a cashier's session: its payments, exchanges, movements and close
    STOCK = 21  # the stock of prizes in kind, by item
    CHEQUE = 22  # the numbers of cheques
    CREDIT = 23  # what premises owe: each of their sales, and all else that adds to it
    SEAL = 25  # the seal of a contest: one sealing at a time
    JOURNAL = 29  # sealing a batch of the journal; nothing else waits for it
    LOG = 30  # last: an act appends to the public log at its end


MOVEMENTS = 0x7FFFFFFF
"""The key of all bank movements in the space `STATEMENT`, after the ids of premises. Each payment
of a statement, each credit of a loss by a cheque, and each retirement takes it."""


class LocksOutOfPlace(RuntimeError):
    """A lock was asked for outside a transaction: a fault in the program."""


def hold(*wanted: tuple[Lock, int], shared: bool = False) -> None:
    """Wait for the locks, in order, and keep them to the transaction's end.

    Raises LocksOutOfPlace outside a transaction, and django.db.OperationalError (SQLSTATE 55P03)
    after the session's `lock_timeout`.
    """
    if not connection.in_atomic_block:
        raise LocksOutOfPlace
    suffix = "_shared" if shared else ""
    with connection.cursor() as cursor:
        # In the order of what the server sees of a key.
        for space, key in sorted((space, key & 0x7FFFFFFF) for space, key in wanted):
            cursor.execute(f"SELECT pg_advisory_xact_lock{suffix}(%s, %s)", [int(space), key])


@contextmanager
def session_hold(space: Lock, key: int = 0) -> Iterator[bool]:
    """Try to take a lock for the session; yield whether this session has it now.

    It never waits. The session keeps the lock through many transactions, to the end of the context;
    if the process dies, its connection and the lock end with it.
    """
    key &= 0x7FFFFFFF
    held = bool(fetch_value("SELECT pg_try_advisory_lock(%s, %s)", [int(space), key]))
    try:
        yield held
    finally:
        if held and connection.is_usable():
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [int(space), key])


_HELD = """
SELECT objid::bigint FROM pg_locks
 WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid::bigint = %s
   AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


def held(space: Lock) -> set[int]:
    """Return the keys of a space of `session_hold` that sessions hold, this one among them."""
    return {key for (key,) in fetch_all(_HELD, [int(space) & 0xFFFFFFFF])}


_HAS = """
SELECT EXISTS (
    SELECT FROM pg_locks
     WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND pid = pg_backend_pid()
       AND classid::bigint = %s AND objid::bigint = 0)
"""


def session_has(space: Lock) -> bool:
    """Return whether this session has the lock 0 of `session_hold`: a new one, made where the
    server had ended the former, has not.
    """
    return bool(fetch_value(_HAS, [int(space) & 0xFFFFFFFF]))


def session_keep(space: Lock) -> bool:
    """Return whether this session still has the lock 0 of `session_hold`, or could take it again.

    The server ends a lock with its session. A long holder goes on in a new session: it asks before
    each step whether nobody else has begun meanwhile.
    """
    if session_has(space):
        return True
    return bool(fetch_value("SELECT pg_try_advisory_lock(%s, 0)", [int(space)]))
