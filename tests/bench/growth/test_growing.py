"""A small history that grows lets nothing that is done again and again read more than its share.

The figures are those of `tests/bench/parts/decade.py`, but only what the database counts: rows and
statements are the same on a busy machine. So short a history lies within the days that every night
looks at, and its nights grow with it; they may not grow faster. The benchmark has the long one.
"""

from collections import defaultdict
from datetime import date

import pytest
from django.db import connection

from core.nights import jobs
from core.nights.jobs import Job, Outcome
from tests.bench.growth import judging, measuring
from tests.bench.growth.judging import GrowsTooFast
from tests.bench.store import owner_execute
from tests.support.databases import Database
from tests.support.history import weeks

LENGTHS = (1, 2, 4, 8)
"""In weeks."""
ENDS = (1, 8)
_TIMES = 10  # of a planted statement, so that it counts among the honest ones
_ALL_HISTORY = """
SELECT max((SELECT count(*) FROM journal_act a WHERE a.journal_xid <= t.journal_xid))
  FROM ledger_transfer t
"""


def _reads_all_history(day: date | None = None) -> Outcome:
    """Compare each transfer with all acts that were before it."""
    with connection.cursor() as cursor:
        cursor.execute(_ALL_HISTORY)
    return Outcome()


def _asks_for_each_pair_of_contests() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM lototrot_contest")
        for _ in range(_TIMES * cursor.fetchone()[0] ** 2):
            cursor.execute("SELECT 1")


def _planted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the night, the sweep and the scrape read all history."""
    honest, sweep, scrape = jobs.all_jobs, measuring.sweep, measuring.scrape
    job = Job(
        name="tests.planted", title="Planted", order=90, run=_reads_all_history, recounts=True
    )
    monkeypatch.setattr(jobs, "all_jobs", lambda: [*honest(), job])
    monkeypatch.setattr(measuring, "sweep", lambda: (sweep(), _asks_for_each_pair_of_contests()))
    monkeypatch.setattr(measuring, "scrape", lambda: (scrape(), _reads_all_history()))


def _measured() -> dict[str, float]:
    swept = measuring.cost(measuring.sweep)
    return {
        "night_rows": measuring.night().cost.rows,
        "sweep_statements": swept.statements,
        "sweep_rows": swept.rows,
        "metrics_rows": measuring.cost(measuring.scrape).rows,
    }


def test_nothing_grows_faster_than_a_small_history_and_a_reader_of_all_of_it_is_found(
    own_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = weeks.begin(premises=3, tickets=16, plays=4)
    honest: dict[str, list[float]] = defaultdict(list)
    planted: dict[str, list[float]] = defaultdict(list)
    for length in LENGTHS:
        history.grow(length - history.weeks)
        owner_execute("ANALYZE")
        measuring.night()  # after the Sunday
        for name, value in _measured().items():
            honest[name].append(value)
        if length in ENDS:
            with monkeypatch.context() as patch:
                _planted(patch)
                for name, value in _measured().items():
                    planted[name].append(value)
    judging.refuse_faster_than_linear(LENGTHS, honest)
    assert judging.growth(LENGTHS, honest["sweep_statements"]) < 1.2
    with pytest.raises(GrowsTooFast, match="night_rows, sweep_statements, metrics_rows"):
        judging.refuse_faster_than_linear(ENDS, planted)
