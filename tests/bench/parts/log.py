"""The write-ahead log of a ticket with all that follows, by table, index and act (`pg_waldump`).

There are two mixes (`MIXES`). `log.decade.*` is that of the decade, where each of the premises
sells 1.2 tickets a week; `log.service.*` is that of the service, where each sells 437. Both have
both games, statements and remittances. A history grows by some weeks, with a checkpoint before
them; then PostgreSQL's own program reads the log of these weeks. What records say is counted apart
from the whole pages in them, for their number depends on the checkpoints: `page.*` are pages by
table and index. At the end months are retired, and counted in the same way (`retirement.*`). All
figures are bytes a ticket, but `entries` (of indexes) and `locks` (of rows), which are numbers.

`bytes_with_all_that_follows` is what all tables grew by in the weeks that are read, a ticket;
`bytes_per_retired_ticket` and `bytes_retired.*` are what stays of a retired one
(`tests/bench/archiving.py`).
"""

import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import psycopg

from core.journal.acting import name_process
from tests.bench import archiving
from tests.bench.processor import ours_s
from tests.bench.store import Figures, Skipped, Store
from tests.support.history import weeks

WEEKS_BEFORE, WEEKS, WEEKS_AFTER = 6, 4, 6
"""Prizes of the first weeks lapse in those that are read. At the end months can be retired."""
_MONTHS_RETIRED = 3
_NAMED_FROM_BYTES = 5.0
_SESSIONS = 2
_SLOT = "bench_log"
_RECORD = re.compile(
    r"rmgr: (?P<kind>\S+) +len \(rec/tot\): +(?P<rest>\d+)/ +(?P<whole>\d+), tx: +(?P<xid>\d+),"
    r".*? desc: (?P<does>\w+)(?:.*? blkref #0: rel \d+/\d+/(?P<file>\d+))?"
)
_PAGE = re.compile(r"blkref #\d+: rel \d+/\d+/(\d+)[^,]* FPW")
_FILES = """
SELECT pg_relation_filenode(c.oid)::bigint, coalesce(h.relname, t.relname, c.relname)::text,
       CASE WHEN i.indexrelid IS NOT NULL THEN c.relname::text END
  FROM pg_class c LEFT JOIN pg_index i ON i.indexrelid = c.oid
  LEFT JOIN pg_class t ON t.oid = i.indrelid
  LEFT JOIN pg_class h ON h.reltoastrelid = coalesce(i.indrelid, c.oid)
 WHERE pg_relation_filenode(c.oid) IS NOT NULL
"""
_ACTS = """
SELECT (a.journal_xid - journal_base()) % (1::bigint << 32), s.name
  FROM journal_act a JOIN journal_source s ON s.id = a.source_id
"""

_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class Mix:
    """Some premises, and the tickets that they sell together in a week.

    A smaller run has `scale ** smaller` of the premises, but not fewer than `fewest`.
    """

    premises: int
    tickets: int
    smaller: float
    fewest: int

    def at(self, scale: float) -> "Mix":
        """Return the mix of a run of that size, with as many tickets for each of the premises."""
        premises = max(self.fewest, int(self.premises * scale**self.smaller))
        tickets = max(24, premises * self.tickets // self.premises)
        return Mix(premises, tickets, self.smaller, self.fewest)


MIXES = {
    "decade": Mix(premises=800, tickets=950, smaller=0.5, fewest=20),
    "service": Mix(premises=40, tickets=40 * 437, smaller=0.4, fewest=2),
}
"""Of a run of full size. The decade has 3,200 premises and 3,787 tickets a week; the service, which
this project is built for, has 3,200 terminals and 1.4 million."""


@dataclass(slots=True)
class Log:
    """The bytes of a part of the log: of its records by table, by index and by act; of its pages.

    The rows of a table, their locks and its indexes are in `by_table`, each index also in
    `by_index`, and the locks of rows also in `by_lock`. `entries` are those of indexes. `by_page`
    are whole pages, by the index or the table that they are of.
    """

    records: int = 0
    pages: int = 0
    entries: int = 0
    locks: int = 0
    by_table: Counter[str] = field(default_factory=Counter)
    by_index: Counter[str] = field(default_factory=Counter)
    by_act: Counter[str] = field(default_factory=Counter)
    by_lock: Counter[str] = field(default_factory=Counter)
    by_page: Counter[str] = field(default_factory=Counter)

    def figures(self, name: str, tickets: int) -> Figures:
        """Return the figures of a ticket, the largest tables, indexes and acts first."""
        totals = {
            f"{name}.per_ticket": self.records + self.pages,
            f"{name}.records": self.records,
            f"{name}.pages": self.pages,
            f"{name}.entries": self.entries,
            f"{name}.locks": self.locks,
        }
        for kind, counted in (
            ("table", self.by_table),
            ("index", self.by_index),
            ("lock", self.by_lock),
            ("act", self.by_act),
            ("page", self.by_page),
        ):
            totals |= {
                f"{name}.{kind}.{each}": size
                for each, size in counted.most_common()
                if size >= _NAMED_FROM_BYTES * tickets
            }
        return {each: total / tickets for each, total in totals.items()}


def measure(store: Store, *, mix: str) -> Figures:
    """Return the figures `log.<mix>.*`; those of a retirement where a month could be retired."""
    name_process("command:bench")
    name, of = f"log.{mix}", MIXES[mix].at(store.size.scale)
    history = weeks.begin(
        premises=of.premises,
        tickets=of.tickets,
        plays=max(4, of.tickets // 50),
        seconds=ours_s,
        sessions=_SESSIONS,
    )
    with store.commits_wait_for_no_disk():
        history.grow(WEEKS_BEFORE)
        stored = sum(archiving.sizes().values())
        grown, _ = _read(store, lambda: history.grow(WEEKS))
        figures = grown.figures(name, WEEKS * of.tickets)
        stored = sum(archiving.sizes().values()) - stored
        figures[f"{name}.bytes_with_all_that_follows"] = stored / (WEEKS * of.tickets)
        history.grow(WEEKS_AFTER)
        with tempfile.TemporaryDirectory() as folder:
            retired, count = _read(
                store, lambda: archiving.months_retired(_MONTHS_RETIRED, Path(folder))
            )
    if not count:
        return figures
    stays = archiving.stays_of(count)
    return (
        figures
        | retired.figures(f"{name}.retirement", count)
        | {f"{name}.bytes_per_retired_ticket": sum(stays.values())}
        | {f"{name}.bytes_retired.{table}": size for table, size in stays.items()}
        | {f"{name}.tickets_retired": float(count)}
    )


def _read(store: Store, do: Callable[[], _Answer]) -> tuple[Log, _Answer]:
    """Write a checkpoint and do something. Return the log of it, and its answer."""
    if store.stack.postgres is None:
        raise Skipped("only the embedded PostgreSQL shows its log; unset DATABASE_URL")
    folder, programs = store.stack.postgres.cluster / "pg_wal", store.stack.postgres.binaries
    with _kept(store) as server:
        start = _checkpoint(server)
        answer = do()
        end = _checkpoint(server)
        files = {file: names for file, *names in server.execute(_FILES).fetchall()}
        acts = dict(server.execute(_ACTS).fetchall())
        log = Log()
        command = [programs / "pg_waldump", "--path", folder, "--start", start, "--end", end]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as dump:
            for line in dump.stdout or ():
                _add(log, line, files, acts)
        if dump.returncode:
            raise RuntimeError("the log could not be read")
    return log, answer


def _add(log: Log, line: str, files: Mapping[int, Sequence[str]], acts: Mapping[int, str]) -> None:
    """Add a record to the log that is told."""
    record = _RECORD.match(line)
    if record is None:
        raise RuntimeError(f"this line of the log is not understood: {line}")
    size, kind = int(record["rest"]), record["kind"]
    pages, touched = int(record["whole"]) - size, _PAGE.findall(line)
    log.records += size
    log.pages += pages
    for file in touched:
        log.by_page[_name(files, file)] += pages // len(touched)
    table, index = files.get(int(record["file"] or 0), (f"({kind})", None))
    log.by_table[table] += size
    if index:
        log.by_index[index] += size
        log.entries += record["does"].startswith("INSERT")
    if (kind, record["does"]) == ("Heap", "LOCK"):
        log.by_lock[table] += size
        log.locks += 1
    log.by_act[acts.get(int(record["xid"]), "(none)")] += size


def _name(files: Mapping[int, Sequence[str]], file: str) -> str:
    table, index = files.get(int(file), ("(other)", None))
    return index or table


@contextmanager
def _kept(store: Store) -> Iterator[psycopg.Connection]:
    """Keep the log by a slot, which is dropped at the end."""
    with store.superuser() as server:
        server.execute("SELECT pg_create_physical_replication_slot(%s, true)", [_SLOT])
        try:
            yield server
        finally:
            server.execute("SELECT pg_drop_replication_slot(%s)", [_SLOT])


def _checkpoint(server: psycopg.Connection) -> str:
    """Write a checkpoint. Return where the log was before it."""
    row = server.execute("SELECT pg_current_wal_insert_lsn()::text").fetchone()
    server.execute("CHECKPOINT")
    return str(row[0]) if row else ""
