"""Give Prometheus the state of the machines as the database knows it."""

from collections.abc import Iterator

from prometheus_client.core import Metric

from core.api import metrics
from core.database.machines import machines


def source() -> Iterator[Metric]:
    """Yield standbys, archive, age of transactions, sessions, and the silence of workers."""
    state = machines()
    told = (
        ("database_replicas", "Servers that follow this one", state.replicas),
        (
            "database_second_machine",
            "1 if an answered sale is on two machines",
            not state.without_second,
        ),
        ("database_archiving", "1 if the log is archived", state.archive_mode != "off"),
        ("database_archive_failing", "1 if the newest try failed", state.archive_failing),
        ("database_archived_seconds", "Since a file of the log was archived", state.archived_s),
        ("database_xid_age", "Transactions since the oldest not frozen", state.xid_age),
        ("database_sessions", "Sessions of clients", state.sessions),
        ("database_sessions_most", "max_connections", state.most_sessions),
        ("worker_silent_seconds", "Since a worker last answered", state.worker_silent_s),
    )
    for name, words, value in told:
        yield metrics.gauge(name, words, [] if value is None else [((), float(value))])


METRICS: tuple[metrics.Source, ...] = (source,)
