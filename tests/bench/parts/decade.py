"""A history of ten years against one an eighth as long, with the same meetings a week.

What is done every night, every second, at every sweep and at every scrape must not grow with the
past. The history grows from H to 2 H, 4 H and 8 H in one database (`tests/support/history`), and at
each length the same is measured: an ordinary night with all its jobs, the sweep, the metrics, the
boards' publisher, the start of each process, and settlements. Each is measured in seconds of
processor, ours and the database's, so that other load on the machine does not count, and a night
also in rows that the database reads. Every figure is printed at each length; its slope is 0 where
it does not grow, and 1 where it grows as the history does. The speed of sales and payments is
measured on copies of the history at 8 H and at H, in turn (`tests/bench/pacing.py`). At the end
months are retired: what a ticket takes of each table, and what is left of it, is printed as well.
Before that a ticket is measured that is sold and printed.
"""

import math
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median

from django.db import connection
from prometheus_client import generate_latest

from core.api.metrics import _registry
from core.database.due_work import due_work
from core.journal.acting import name_process
from core.nights.models import JobRun
from core.nights.services import night_run
from core.screens import live
from core.tools.embedded.server import ROOT
from tests.bench import archiving, pacing
from tests.bench.drawing import growth
from tests.bench.processor import ours_s
from tests.bench.size import SIZES
from tests.bench.store import Figures, Store, owner_execute
from tests.support import factories
from tests.support.history import weeks
from tests.support.history.acts import Done

WEEKS, TICKETS, PREMISES = 66, 2_000_000, 3_200
"""H in weeks, and tickets and premises at 8 H, of a run of full size: 528 weeks are ten years."""
LENGTHS = (1, 2, 4, 8)
FLAT = (
    "night",
    "night_rows",
    "sweep",
    "metrics",
    "live",
    "restart_web",
    "restart_live",
    "restart_worker",
)
LINEAR = 1.0
_SHORTER = 0.5
"""A smaller run is shorter, but not as much as it has less: a night looks at some ten weeks."""
_DRAWING = "decade.svg"
_PLAYS_IN = 50  # a play for so many tickets
_BEST_OF, _PUBLICATIONS, _LAST_WEEKS = 3, 20, 4
_MONTHS_RETIRED = 3
_SOLD_AND_PRINTED = 5_000  # enough that pages which are not full do not count
_NAMED_FROM_BYTES = 5.0  # of a ticket: the other tables do not follow the number of tickets
_READ = """
SELECT tup_returned + tup_fetched FROM pg_stat_database WHERE datname = current_database()
"""

Seconds = dict[str, float]


def measure(store: Store) -> Figures:
    """Return the figures `decade.*`. Growth beyond linear, where none is wanted, is an
    error but in a tiny run.
    """
    name_process("command:bench")
    length = max(1, int(WEEKS * store.size.scale**_SHORTER))
    tickets = max(24, store.size.of(TICKETS) // (length * LENGTHS[-1]))
    history = weeks.begin(
        premises=max(4, store.size.of(PREMISES)),
        tickets=tickets,
        plays=max(4, tickets // _PLAYS_IN),
        seconds=ours_s,
    )
    at: dict[int, Seconds] = {}
    stored: dict[int, dict[str, int]] = {}
    wal = 0
    for times in LENGTHS:
        wal -= _wal()
        history.grow(length * times - history.weeks)
        stored[times] = archiving.sizes()
        wal += _wal()
        _tell_planner()
        at[times] = _measured(store)
        at[times] |= {f"act_{kind}": _each(done) for kind, done in history.done.items()}
        if times == LENGTHS[0]:
            shorter = pacing.told(history)
            pacing.copy(store, pacing.SHORTER)
        print(times, "H:", {name: round(s, 4) for name, s in at[times].items()}, flush=True)
    sold = tickets * length * (LENGTHS[-1] - LENGTHS[0])
    by_table = {name: (size - stored[1][name]) / sold for name, size in stored[8].items()}
    pacing.copy(store, pacing.LONGER)
    speeds = pacing.speeds(store, shorter=shorter, longer=pacing.told(history))
    figures = _figures(at) | {
        **speeds,
        "decade.weeks": float(history.weeks),
        "decade.tickets": float(history.weeks * tickets),
        "decade.bytes_per_ticket": sum(by_table.values()),
        "decade.wal_per_ticket": wal / (history.weeks * tickets),
        **{
            f"decade.bytes.{name}": size
            for name, size in sorted(by_table.items(), key=lambda each: -each[1])
            if size >= _NAMED_FROM_BYTES
        },
    }
    figures["decade.bytes_sold_and_printed"] = archiving.sold_and_printed(
        history, max(tickets, _SOLD_AND_PRINTED)
    )
    with tempfile.TemporaryDirectory() as folder:
        freed = archiving.freed_by(_MONTHS_RETIRED, Path(folder))
    if freed:
        figures["decade.bytes_per_archived_ticket"] = figures["decade.bytes_per_ticket"] - freed
    _draw(store, at, history.weeks)
    grows = [name for name in FLAT if figures[f"decade.{name}_slope"] > LINEAR]
    # A tiny history is shorter than the turns in which older periods are read, and so still grows.
    if grows and store.size.scale >= SIZES["small"].scale:
        raise RuntimeError(f"these grow faster than the history: {', '.join(grows)}")
    return figures


def _draw(store: Store, at: dict[int, Seconds], weeks_in_all: int) -> None:
    """Draw the growth of what must be flat: among the documents, a tiny run's beside its table."""
    folder = "docs" if store.size.scale >= SIZES["small"].scale else "var"
    title = f"Growth with the history, H to 8 H = {weeks_in_all} weeks (ratio to H)"
    seconds = {name: [at[times][name] for times in LENGTHS] for name in FLAT}
    (ROOT / folder / _DRAWING).write_text(growth(title, LENGTHS, seconds))


def _measured(store: Store) -> Seconds:
    """Return the seconds of everything that is done again and again, at this length."""
    night_s, night_rows, jobs_s = _ordinary_night()
    return {
        "night": night_s,
        "night_rows": night_rows,
        "sweep": _best(lambda: [list(work.due()) for work in due_work()]),
        "metrics": _best(lambda: generate_latest(_registry())),
        "live": _live_cpu_s(),
        **{
            f"restart_{what}": store.process("restarter", what)["seconds"]
            for what in ("web", "live", "worker")
        },
        **{f"night.{job}": seconds for job, seconds in jobs_s.items()},
    }


def _ordinary_night() -> tuple[float, float, Seconds]:
    """Do the night after the Sunday, then measure the next.

    Return its seconds, the rows that the database read for it, and its seconds by job.
    """
    for _ in range(2):
        factories.time_pass(hours=24)
        began, rows = ours_s(), _rows_read()
        runs = night_run()
        seconds, rows = ours_s() - began, _rows_read() - rows
        failed = [f"{run.job}: {run.error}" for run in runs if run.state != JobRun.State.DONE]
        if failed:
            raise RuntimeError(f"the night failed: {failed}")
    lengths = {run.job: (run.ended_at, run.started_at) for run in runs}
    return (
        seconds,
        float(rows),
        {
            job: (ended - started).total_seconds()
            for job, (ended, started) in lengths.items()
            if ended
        },
    )


def _rows_read() -> int:
    """Return how many rows and index entries the database has read, for all its connections."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(_READ)
        return int(cursor.fetchone()[0])


def _best(act: Callable[[], object]) -> float:
    seconds = []
    for _ in range(_BEST_OF):
        began = ours_s()
        act()
        seconds.append(ours_s() - began)
    return min(seconds)


def _live_cpu_s() -> float:
    """Return the processor seconds of a publication, ours and the database's, when all is warm."""
    with tempfile.TemporaryDirectory() as folder:
        live.prepare()
        for _ in range(3):  # the publisher knows the sums from then on
            live.publish(Path(folder))
        began = ours_s()
        for _ in range(_PUBLICATIONS):
            live.publish(Path(folder))
        return (ours_s() - began) / _PUBLICATIONS


def _tell_planner() -> None:
    """Analyze the tables, as autovacuum does between two nights."""
    owner_execute("ANALYZE")


def _each(done: list[Done]) -> float:
    """Return the seconds of one act in the last weeks."""
    lately = [act.seconds / act.count for act in done[-_LAST_WEEKS:] if act.count]
    return median(lately) if lately else 0.0


def _wal() -> int:
    """Return how many bytes of write-ahead log there have been."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")
        return int(cursor.fetchone()[0])


def _figures(at: dict[int, Seconds]) -> Figures:
    """Return each figure at every length, its ratio at 8 H to H, and its slope."""
    first, last = at[LENGTHS[0]], at[LENGTHS[-1]]
    figures: Figures = {}
    for name in FLAT:
        ratio = last[name] / max(first[name], 1e-6)
        for times in LENGTHS:
            unit = "" if name.endswith("_rows") else "_s"
            figures[f"decade.{name}{unit}_{times}h"] = at[times][name]
        figures[f"decade.{name}_ratio"] = ratio
        figures[f"decade.{name}_slope"] = math.log(max(ratio, 1e-6)) / math.log(LENGTHS[-1])
    for name in sorted(first):
        if name.startswith("night."):
            figures[f"decade.{name}_s_8h"] = last.get(name, 0.0)
    if last["act_settle"]:
        figures["decade.settle_ratio"] = first["act_settle"] / last["act_settle"]
    return figures | {
        "decade.sweep_s": last["sweep"],
        "decade.metrics_s": last["metrics"],
        "decade.live_cpu": last["live"] / max(first["live"], 1e-6),
    }
