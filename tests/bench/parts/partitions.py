"""Bare tickets in one table against the same in partitions by contest (docs/adr/0059).

All tables have the columns, the indexes and the checks of `lototrot_ticket`, without its triggers.
A unique key of a partitioned table must have the contest in it; the other indexes are the same. A
third table, `ordered`, is one table whose unique key of codes begins with the contest. A function
inserts the tickets of a year of meetings, a contest at a time, into all in turn, with a checkpoint
before each. Then codes are looked up: by their digest alone, which asks the index of each
partition, and with their contest. Then the oldest month leaves: by DELETE and VACUUM from one
table, by DETACH and DROP from the partitioned one; and a month is sold again. Seconds are of the
server's processor. Digests are random here, as all were before a code told its day
(docs/adr/0073).
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any

import psycopg

from core.kernel.codes import DIGEST_BYTES
from tests.bench.processor import process_s
from tests.bench.store import Figures, Store
from tests.support.factories.request_uuids import V7

TICKETS, CONTESTS, OF_MONTH = 208_000, 52, 4
_AT_LEAST = 20  # of a contest
_FOUND, _TERMINALS = 1_000, 100
WHOLE, ORDERED, PARTED = "whole", "ordered", "parted"
TABLES = (WHOLE, ORDERED, PARTED)
_LIKE = "LIKE lototrot_ticket INCLUDING DEFAULTS INCLUDING IDENTITY INCLUDING CONSTRAINTS"
_KEYS = {
    WHOLE: "LIKE lototrot_ticket INCLUDING ALL",
    ORDERED: f"{_LIKE}, PRIMARY KEY (id), UNIQUE (uuid), UNIQUE (contest_id, code_digest)",
    PARTED: f"{_LIKE}, PRIMARY KEY (id, contest_id), UNIQUE (uuid, contest_id),"
    " UNIQUE (code_digest, contest_id)",
}
_OTHER_INDEXES = """
SELECT pg_get_indexdef(indexrelid) FROM pg_index
 WHERE indrelid = 'public.lototrot_ticket'::regclass AND NOT indisunique ORDER BY indexrelid
"""
_SELL = """
CREATE FUNCTION {table}_sell(p_contest bigint, p_code bytea) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE v_id bigint;
BEGIN
    INSERT INTO {table} (uuid, contest_id, premises_id, terminal_id, operator_id, sold_at, bets,
           quick_legs, leg_1, leg_2, leg_3, leg_4, leg_5, leg_6, leg_7, amount_cents, code_digest,
           request_digest, code_commitment)
    VALUES ({uuid}, p_contest, 1, 1 + get_byte(p_code, 0) % {terminals}, 1, clock_timestamp(), 1,
            0, 1, 2, 4, 8, 16, 32, 64, 50, p_code, substr(p_code || p_code, 1, 16),
            sha256(p_code))
    RETURNING id INTO v_id;
    RETURN v_id;
END $$
"""
_FIND = """
CREATE FUNCTION {table}_find{kind}(p_code bytea, p_contest bigint) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE v_id bigint;
BEGIN
    SELECT id INTO STRICT v_id FROM {table} WHERE code_digest = p_code{also};
    RETURN v_id;
END $$
"""
_CODE = "substr(sha256(int8send({number})), 1, {bytes})"
_BYTES = """
SELECT coalesce(sum(pg_indexes_size(relid)), 0), coalesce(sum(pg_total_relation_size(relid)), 0)
  FROM (SELECT %(table)s::regclass AS relid
         UNION SELECT relid FROM pg_partition_tree(%(table)s::regclass)) r
"""


@dataclass(frozen=True, slots=True)
class Taken:
    """The server's processor seconds and the bytes of write-ahead log of one act."""

    seconds: float
    wal: float


class Tables:
    """The tables in a schema of their own, on one connection of the superuser."""

    def __init__(self, server: psycopg.Connection, each: int) -> None:
        self.server, self.each = server, each
        server.execute("SET max_parallel_workers_per_gather = 0")
        row = server.execute("SELECT pg_backend_pid()").fetchone()
        self.pid = int(row[0]) if row else 0
        for table, keys in _KEYS.items():
            by = " PARTITION BY LIST (contest_id)" if table == PARTED else ""
            server.execute(f"CREATE TABLE {table} ({keys}){by}")
            words = {"table": table, "uuid": V7, "terminals": _TERMINALS}
            server.execute(_SELL.format(**words))
            for kind, also in (("", ""), ("_of_contest", " AND contest_id = p_contest")):
                server.execute(_FIND.format(table=table, kind=kind, also=also))
        for (definition,) in server.execute(_OTHER_INDEXES).fetchall():
            _, _, columns = definition.partition(" USING ")
            for table in (ORDERED, PARTED):
                server.execute(f"CREATE INDEX ON {table} USING {columns}")

    def taken(self, act: Callable[[], object]) -> Taken:
        """Do an act; return what it took."""
        began, wal = process_s(self.pid), self._wal()
        act()
        return Taken(process_s(self.pid) - began, self._wal() - wal)

    def sell(self, contest: int) -> dict[str, Taken]:
        """Sell the tickets of a contest into all tables; return what each took, in all."""
        self.server.execute(
            f"CREATE TABLE {PARTED}_{contest} PARTITION OF {PARTED} FOR VALUES IN ({contest})"
        )
        cost_by_table = {}
        for table in TABLES if contest % 2 else TABLES[::-1]:
            self.server.execute("CHECKPOINT")
            cost_by_table[table] = self.taken(lambda table=table: self._sell(table, contest))
        return cost_by_table

    def _sell(self, table: str, contest: int) -> None:
        first = contest * self.each
        code = _CODE.format(number="n", bytes=DIGEST_BYTES)
        self.server.execute(
            f"SELECT count({table}_sell({contest}, {code}))"
            f" FROM generate_series({first}, {first + self.each - 1}::bigint) n"
        )

    def find(self, function: str, contests: int) -> Taken:
        """Look up codes, spread over all contests; return what one took."""
        step = max(1, contests * self.each // _FOUND)
        numbers = f"generate_series({self.each}, {(contests + 1) * self.each - 1}::bigint, {step})"
        code = _CODE.format(number="n", bytes=DIGEST_BYTES)
        statement = f"SELECT {function}({code}, n / {self.each}) FROM {numbers} n"
        self.server.execute(statement)  # plans and pages are there from then on
        lookups = 0

        def find() -> None:
            nonlocal lookups
            lookups = len(self.server.execute(statement).fetchall())

        taken = self.taken(find)
        return Taken(taken.seconds / lookups, taken.wal / lookups)

    def blocks(self, table: str, contests: int, *, with_contest: bool = False) -> float:
        """Return the blocks of indexes and table that one look-up touches, the middle of some."""
        block_counts = []
        for contest in range(1, contests + 1):
            code = _CODE.format(number=f"{contest * self.each}::bigint", bytes=DIGEST_BYTES)
            also = f" AND contest_id = {contest}" if with_contest else ""
            row = self.server.execute(
                f"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON)"
                f" SELECT id FROM {table} WHERE code_digest = {code}{also}"
            ).fetchone()
            plan: Any = row[0] if row else []
            node = (plan if isinstance(plan, list) else json.loads(plan))[0]["Plan"]
            block_counts.append(node["Shared Hit Blocks"] + node["Shared Read Blocks"])
        return float(median(block_counts))

    def bytes(self, table: str) -> tuple[float, float]:
        """Return the bytes of a table's indexes, and of all of it."""
        row = self.server.execute(_BYTES, {"table": table}).fetchone()
        return (float(row[0]), float(row[1])) if row else (0.0, 0.0)

    def _wal(self) -> float:
        row = self.server.execute("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn").fetchone()
        return float(row[0]) if row else 0.0


def measure(store: Store) -> Figures:
    """Return the figures `partitions.whole.*`, `.ordered.*` and `.parted.*`."""
    each = max(_AT_LEAST, store.size.of(TICKETS) // CONTESTS)
    with _scratch(store) as server:
        tables = Tables(server, each)
        sold = [tables.sell(contest) for contest in range(1, CONTESTS + 1)]
        server.execute("VACUUM (ANALYZE)")
        figures: Figures = {"tickets": float(each * CONTESTS), "contests": float(CONTESTS)}
        for table in TABLES:
            late = [each_sold[table] for each_sold in sold[CONTESTS // 2 :]]
            figures[f"{table}.insert_us"] = median(one.seconds for one in late) * 1e6 / each
            figures[f"{table}.insert_wal"] = median(one.wal for one in late) / each
            indexes, in_all = tables.bytes(table)
            figures[f"{table}.index_bytes"] = indexes / figures["tickets"]
            figures[f"{table}.bytes"] = in_all / figures["tickets"]
            for kind in ("", "_of_contest"):
                cost = tables.find(f"{table}_find{kind}", CONTESTS)
                figures[f"{table}.find{kind}_us"] = cost.seconds * 1e6
                blocks = tables.blocks(table, CONTESTS, with_contest=bool(kind))
                figures[f"{table}.find{kind}_blocks"] = blocks
        figures |= _month_leaves(tables)
    return {f"partitions.{name}": value for name, value in figures.items()}


def _month_leaves(tables: Tables) -> Figures:
    """Remove the oldest month both ways, then sell another. Return what that took."""
    server, month = tables.server, range(1, OF_MONTH + 1)
    before = {table: tables.bytes(table)[1] for table in (WHOLE, PARTED)}

    def delete() -> None:
        server.execute(f"DELETE FROM {WHOLE} WHERE contest_id <= {OF_MONTH}")

    def detach() -> None:
        for contest in month:
            server.execute(f"ALTER TABLE {PARTED} DETACH PARTITION {PARTED}_{contest}")
            server.execute(f"DROP TABLE {PARTED}_{contest}")

    steps = {
        f"{WHOLE}.delete": tables.taken(delete),
        f"{WHOLE}.vacuum": tables.taken(lambda: server.execute(f"VACUUM {WHOLE}")),
        f"{PARTED}.detach": tables.taken(detach),
    }
    gone = tables.each * OF_MONTH
    figures: Figures = {"gone": float(gone)}
    for name, taken in steps.items():
        figures[f"{name}_s"] = taken.seconds
        figures[f"{name}_wal"] = taken.wal / gone
    after = {table: tables.bytes(table)[1] for table in before}
    for contest in month:
        tables.sell(CONTESTS + contest)
    for table, in_all in before.items():
        figures[f"{table}.given_back"] = (in_all - after[table]) / gone
        figures[f"{table}.grown_again"] = (tables.bytes(table)[1] - after[table]) / gone
    return figures


@contextmanager
def _scratch(store: Store) -> Iterator[psycopg.Connection]:
    """Give a schema of its own, and remove it at the end."""
    with store.superuser() as server:
        server.execute("DROP SCHEMA IF EXISTS partitions CASCADE; CREATE SCHEMA partitions")
        server.execute("SET search_path = partitions, public")
        try:
            yield server
        finally:
            server.execute("DROP SCHEMA partitions CASCADE")
