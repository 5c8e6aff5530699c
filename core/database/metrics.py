"""Give Prometheus the state of the machines as the database knows it."""

from collections.abc import Iterator

from prometheus_client.core import Metric

from core.api import metrics
from core.database.machines import machines
from core.database.reading import standby
from core.database.reading.asking import fetch_value

# Anybody may read the slots; how far a standby has replayed takes a right that we do not have.
_KEPT = """
SELECT max(pg_current_wal_flush_lsn() - restart_lsn) FROM pg_replication_slots
 WHERE slot_type = 'physical'
"""


def source() -> Iterator[Metric]:
    """Yield standbys, archive, age of transactions, sessions, and the silence of workers."""
    state = machines()
    figures = (
        ("database_replicas", "Servers that follow this one", state.replicas),
        (
            "database_second_machine",
            "1 if an answered sale is on two machines",
            not state.without_second,
        ),
        ("database_archiving", "1 if the log is archived", state.archived),
        ("database_archive_failing", "1 if the newest try failed", state.archive_failing),
        ("database_archived_seconds", "Since a file of the log was archived", state.archived_s),
        ("database_xid_age", "Transactions since the oldest not frozen", state.xid_age),
        ("database_sessions", "Sessions of clients", state.sessions),
        ("database_sessions_most", "max_connections", state.most_sessions),
        ("worker_silent_seconds", "Since a worker last answered", state.worker_silent_s),
    )
    for name, words, value in figures:
        yield metrics.gauge(name, words, [] if value is None else [((), float(value))])


def replication() -> Iterator[Metric]:
    """Yield how far the slowest standby is behind, and the state of the one that is read."""
    state = fetch_value(_KEPT)
    yield metrics.gauge(
        "database_replica_behind_bytes",
        "Log kept for the standby furthest behind",
        [] if state is None else [((), float(state))],
    )
    has_one = standby.has_standby()
    lag_s = standby.standby_lag_s() if has_one else None
    ups = [((), float(lag_s is not None))] if has_one else []
    lags = [] if lag_s is None else [((), lag_s)]
    yield metrics.gauge("read_standby_up", "1 if it answers", ups)
    yield metrics.gauge("read_standby_lag_seconds", "How far it is behind", lags)


METRICS: tuple[metrics.Source, ...] = (source, replication)
