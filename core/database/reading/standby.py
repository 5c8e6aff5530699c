"""Run large reads on a standby server if there is one (`DATABASE_READ_URL`).

The standby is read only after it has replayed everything that the primary had written when the
report was asked for, so the report misses no act that was answered before. A standby that is
behind, away, promoted or of another history is not read: the primary is read in its place.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import psycopg
import structlog
from django.db import DatabaseError, InterfaceError, OperationalError, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from core.database.reading.asking import fetch_row
from core.database.reading.limits import CANCELLED
from core.database.shared_counts import Counter

T = TypeVar("T")
STANDBY: Final = "standby"
"""The alias of the connection to the server of DATABASE_READ_URL."""
PRIMARY: Final = "default"
BEHIND_S: Final = 1.0
"""A standby that needs longer to replay what the primary has written is not waited for."""
LEFT_ALONE_S: Final = 10.0
"""For so long a standby that could not be read is not asked again by this process."""

READINGS = Counter("heavy_readings_total", "Heavy readings by the server that was read", ["server"])
log = structlog.get_logger("reading")

# What a session sees is written and flushed. The name of the log's file begins with the timeline.
_WRITTEN = """
SELECT pg_current_wal_flush_lsn()::text, system_identifier,
       ('x' || substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8))::bit(32)::integer
  FROM pg_control_system()
"""
_REPLAYED = """
SELECT pg_is_in_recovery(), pg_last_wal_replay_lsn() >= %s::pg_lsn, system_identifier, timeline_id
  FROM pg_control_system(), pg_control_checkpoint()
"""
# A standby that has replayed no transaction since its start has no time of the last one.
_LAG = """
SELECT pg_is_in_recovery(), CASE WHEN pg_last_wal_replay_lsn() < %s::pg_lsn
       THEN extract(epoch FROM clock_timestamp()
            - coalesce(pg_last_xact_replay_timestamp(), pg_postmaster_start_time())) END
"""


class Unfit(Exception):
    """The standby cannot be read now; the text is its plain reason."""


@dataclass(slots=True)
class _State:
    """Knowledge of this process of the standby. `until_s` is of the monotonic clock."""

    reason: str = ""
    until_s: float = 0.0


_state = _State()
_here = threading.local()


def has_standby() -> bool:
    """Return whether DATABASE_READ_URL names a server."""
    return STANDBY in connections.settings


def primary() -> Any:
    """Return the connection to the primary, also while this thread reads a standby."""
    return getattr(_here, "primary", connection)


def read_much(read: Callable[[], T]) -> T:
    """Return what `read` returns, from the standby if it is fit, else from the primary.

    `read` changes nothing, and may be called twice: again on the primary, where the standby fails
    it. Within a transaction it reads there, for it may look for rows that are not committed.
    """
    if not has_standby() or connection.in_atomic_block or primary() is not connection:
        return read()
    written = _written()
    try:
        standby = _fit_standby(*written)
        with _standing_in(standby):
            answer = read()
    except (Unfit, OperationalError, InterfaceError) as error:
        if (
            getattr(error.__cause__, "sqlstate", None) == CANCELLED
        ):  # it would take too long on the primary, too
            raise
        _leave_alone(error)
        READINGS.labels("primary").inc()
        return read()
    _state.reason = ""
    READINGS.labels("standby").inc()
    return answer


def standby_lag_s() -> float | None:
    """Return for how many seconds the standby lacks what the primary has; None if it is away.

    One that has replayed nothing since its start lacks it for as long as it runs, or longer.
    """
    position, *_ = _written()
    try:
        with connections[STANDBY].cursor() as cursor:
            cursor.execute(_LAG, [position])
            stands_by, lag_s = cursor.fetchone()
    except DatabaseError:
        connections[STANDBY].close()
        return None
    return float(lag_s or 0) if stands_by else None


def unfit_reason() -> str:
    """Return why this process read the primary in the standby's place; empty if it did not."""
    return _state.reason


def _written() -> tuple[str, int, int]:
    """Return how far the primary's log is written, of which system, and on which timeline."""
    position, system, timeline = fetch_row(_WRITTEN)
    return position, system, timeline


def _fit_standby(position: str, system: int, timeline: int) -> BaseDatabaseWrapper:
    """Return the connection to the standby when it has replayed the log up to a position. Raises
    Unfit.
    """
    if time.monotonic() < _state.until_s:
        raise Unfit(_state.reason)
    standby = connections[STANDBY]
    standby.close_if_unusable_or_obsolete()
    deadline = time.monotonic() + BEHIND_S
    with standby.cursor() as cursor:
        while True:
            cursor.execute(_REPLAYED, [position])
            stands_by, has_all, its_system, its_timeline = cursor.fetchone()
            if not stands_by:
                raise Unfit("it is no standby")
            if (its_system, its_timeline) != (system, timeline):
                raise Unfit("it follows another history")
            if has_all:
                return standby
            if time.monotonic() > deadline:
                raise Unfit("it is behind")
            time.sleep(0.01)


@contextmanager
def _standing_in(standby: BaseDatabaseWrapper) -> Iterator[None]:
    """Send every query of this thread to the standby."""
    _here.primary = connections[PRIMARY]
    connections[PRIMARY] = standby
    try:
        yield
    finally:
        connections[PRIMARY] = _here.primary
        del _here.primary


def _leave_alone(error: Exception) -> None:
    """Use no standby for a while, and log it once."""
    if time.monotonic() < _state.until_s:
        return
    reason = str(error) if isinstance(error, Unfit) else _kind_of(error)
    if reason != _state.reason:
        log.warning("the standby is not read", reason=reason)
    _state.reason, _state.until_s = reason, time.monotonic() + LEFT_ALONE_S
    connections[STANDBY].close()


def _kind_of(error: Exception) -> str:
    cause = error.__cause__
    if isinstance(cause, psycopg.errors.SerializationFailure):
        return "its replay cancelled the reading"
    return "it does not answer"
