"""Measure what is done again and again while a history grows: in seconds, rows and statements."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import connection
from prometheus_client import generate_latest

from core.api.metrics import _registry
from core.database.due_work import due_work
from core.nights.models import JobRun
from core.nights.services import night_run
from tests.bench.processor import ours_s
from tests.support import factories

# Not of the catalogues: a new connection reads these, whatever the history is. A row that an index
# finds counts once, by its entry: else a table that grows until an index is used would count twice.
_READ = """
SELECT (SELECT coalesce(sum(seq_tup_read), 0) FROM pg_stat_user_tables)
     + (SELECT coalesce(sum(idx_tup_read), 0) FROM pg_stat_user_indexes)
"""


@dataclass(frozen=True, slots=True)
class Night:
    """Processor seconds of a night, the rows that the database read for it, and its jobs.

    `jobs_s` are seconds by the clock.
    """

    seconds: float
    rows: float
    jobs_s: dict[str, float]


def night() -> Night:
    """Let a day pass, and do the night that follows. A job that fails is an error."""
    factories.time_pass(hours=24)
    began, rows = ours_s(), rows_read()
    runs = night_run()
    seconds, rows = ours_s() - began, rows_read() - rows
    failed = [f"{run.job}: {run.error}" for run in runs if run.state != JobRun.State.DONE]
    if failed:
        raise RuntimeError(f"the night failed: {failed}")
    jobs_s = {
        run.job: (run.ended_at - run.started_at).total_seconds() for run in runs if run.ended_at
    }
    return Night(seconds, rows, jobs_s)


def sweep() -> None:
    """Ask for all work that is due, as the sweeper does."""
    for work in due_work():
        list(work.due())


def scrape() -> None:
    """Compute the metrics, as for one scrape."""
    generate_latest(_registry())


def best_s(act: Callable[[], object], *, of: int) -> float:
    """Return the processor seconds of an act, the best of so many times."""
    seconds = []
    for _ in range(of):
        began = ours_s()
        act()
        seconds.append(ours_s() - began)
    return min(seconds)


def counts() -> dict[str, float]:
    """Return what a sweep and a scrape ask of the database: the same on every machine."""
    return {
        "sweep_statements": statements_of(sweep),
        "sweep_rows": rows_read_by(sweep),
        "metrics_rows": rows_read_by(scrape),
    }


def statements_of(act: Callable[[], object]) -> float:
    """Return how many statements an act sends on our connection."""
    sent = 0

    def count(execute: Callable[..., Any], *words: Any) -> Any:
        nonlocal sent
        sent += 1
        return execute(*words)

    with connection.execute_wrapper(count):
        act()
    return float(sent)


def rows_read_by(act: Callable[[], object]) -> float:
    """Return how many rows the database reads during an act."""
    before = rows_read()
    act()
    return rows_read() - before


def rows_read() -> float:
    """Return how many rows of our tables were read, by all connections."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(_READ)
        return float(cursor.fetchone()[0])
