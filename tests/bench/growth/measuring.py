"""Measure what is done again and again while a history grows: in seconds, rows and statements."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import connection
from prometheus_client import generate_latest

from core.api.metrics import _registry
from core.database.due_work import due_work
from core.nights.models import JobRun
from core.nights.services import night_run
from core.screens import live
from tests.bench.processor import ours_s
from tests.support import factories

# Not of the catalogues: a new connection reads these, whatever the history is. A row that an index
# finds counts once, by its entry: else a table that grows until an index is used would count twice.
_READ = """
SELECT (SELECT coalesce(sum(seq_tup_read), 0) FROM pg_stat_user_tables)
     + (SELECT coalesce(sum(idx_tup_read), 0) FROM pg_stat_user_indexes)
"""
_PUBLISHED_BEFORE = 3


@dataclass(frozen=True, slots=True)
class Cost:
    """Processor seconds of an act, ours and the database's, with the rows that the database read
    for it and the statements that it was sent.
    """

    seconds: float
    rows: float
    statements: float


@dataclass(frozen=True, slots=True)
class Night:
    """The cost of a night, and the seconds of its jobs by the clock."""

    cost: Cost
    jobs_s: dict[str, float]


def cost(act: Callable[[], object], *, times: int = 1) -> Cost:
    """Do an act so many times, and return what one of them cost."""
    statements = 0

    def count(execute: Callable[..., Any], *words: Any) -> Any:
        nonlocal statements
        statements += 1
        return execute(*words)

    rows, began = rows_read(), ours_s()
    with connection.execute_wrapper(count):
        for _ in range(times):
            act()
    seconds = ours_s() - began
    return Cost(seconds / times, (rows_read() - rows) / times, statements / times)


def night() -> Night:
    """Let a day pass, and do the night that follows. A job that fails is an error."""
    factories.time_pass(hours=24)
    runs: list[JobRun] = []
    cost_of_night = cost(lambda: runs.extend(night_run()))
    failed = [f"{run.job}: {run.error}" for run in runs if run.state != JobRun.State.DONE]
    if failed:
        raise RuntimeError(f"the night failed: {failed}")
    jobs_s = {
        run.job: (run.ended_at - run.started_at).total_seconds() for run in runs if run.ended_at
    }
    return Night(cost_of_night, jobs_s)


def sweep() -> None:
    """Ask for all work that is due, as the sweeper does."""
    for work in due_work():
        list(work.due())


def scrape() -> None:
    """Compute the metrics, as for one scrape."""
    generate_latest(_registry())


def publisher(folder: Path) -> Callable[[], object]:
    """Return a function that publishes the boards' data, as a process that has done it before."""
    live.prepare()
    for _ in range(_PUBLISHED_BEFORE):
        live.publish(folder)
    return lambda: live.publish(folder)


def rows_read() -> float:
    """Return how many rows of our tables were read, by all connections."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(_READ)
        return float(cursor.fetchone()[0])
