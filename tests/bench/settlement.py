"""Settling a contest, against reading its tickets once and writing as many rows as win.

Tickets follow the real bet shares. They are loaded into the real tables by their owner, with the
transfers of their sales: secondary indexes, unique constraints and foreign keys are taken off, the
rows inserted as sets, and all of it put back exactly as it was, so that the database has checked
every row. A round is a whole settlement in a process of its own, committed; it is then reversed by
the service, and its prize rows removed by the owner, so that every round starts from the same size.
The seal's check comes before it in the same task and is timed apart.
"""

import json
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import prod
from random import Random

import psycopg
from django.db import connection, connections

from core.journal.install import COLUMN
from core.ledger.services import account_open, premises_account
from core.staff.powers import Role
from core.tools.embedded.postgres import SUPERUSER
from core.tools.embedded.server import ROOT
from core.tools.embedded.stack import Stack
from lototrot.engine.races import Race
from lototrot.models.contest import Contest
from lototrot.models.settlement import Settlement
from lototrot.sample import facts, players
from lototrot.services.settlement.settling import settlement_reverse
from tests.bench import seal
from tests.bench.pairs import interleave
from tests.support import factories, rounds

MULTIPLES, SINGLES = 1_400_000, 10_000_000
# With these results about a third of the multiple tickets wins something.
WINNERS = (6, 4, 5, 8, 4, 1, 1)
SEED = 20060305
_ROWS_AT_ONCE = 20_000

_STAGE = "CREATE UNLOGGED TABLE IF NOT EXISTS bench_masks (bets integer, {})"
_TICKETS = """
INSERT INTO lototrot_ticket (uuid, contest_id, premises_id, terminal_id, operator_id, sold_at, bets,
    quick_legs, {legs}, amount_cents, code_digest, request_digest, code_commitment)
SELECT md5(%(contest)s || ' ' || n)::uuid, %(contest)s, %(premises)s, %(terminal)s, %(operator)s,
       %(at)s, bets, 0, {legs}, bets * %(price)s, decode(md5(n || ' ' || %(contest)s), 'hex'),
       sha256(int8send(n)), sha256(int8send(-n))
  FROM (SELECT row_number() OVER () AS n, * FROM bench_masks) m
"""
_TRANSFERS = """
INSERT INTO ledger_transfer (reference, line, kind, debit_id, credit_id, amount_cents, at)
SELECT uuid, 0, 'lototrot.sale', %(debit)s, %(credit)s, amount_cents, sold_at
  FROM lototrot_ticket WHERE contest_id = %(contest)s
"""
# What loading takes off a table, and how to put it back; primary keys stay.
_EXTRAS = """
SELECT format('ALTER TABLE %%I DROP CONSTRAINT %%I', conrelid::regclass, conname),
       format('ALTER TABLE %%I ADD CONSTRAINT %%I %%s', conrelid::regclass, conname,
              pg_get_constraintdef(oid))
  FROM pg_constraint WHERE conrelid = %(table)s::regclass AND contype IN ('f', 'u')
UNION ALL
SELECT format('DROP INDEX %%I', indexrelid::regclass), pg_get_indexdef(indexrelid)
  FROM pg_index WHERE indrelid = %(table)s::regclass
   AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
ORDER BY 1
"""
_RAW = (
    "SELECT count(*), sum(amount_cents) FROM lototrot_ticket WHERE contest_id = %s",
    "INSERT INTO raw_prize (settlement_id, ticket_id, winning_bets, prize_cents)"
    " SELECT 1, id, '{{0,0,0,1}}'::integer[], amount_cents FROM lototrot_ticket"
    " WHERE contest_id = %s LIMIT {}",
)


def measure(
    stack: Stack, *, pairs: int, scale: float, sealing: bool, settling_too: bool
) -> dict[str, float]:
    """The keys `seal.*` (`sealing`), `settlement.multiple.*` and `settlement.single.*`."""
    shares = facts.load("son-pardo").bet_shares()
    rng = Random(SEED)
    figures: dict[str, float] = {}
    for name, masks, size in (
        ("multiple", players.multiple_masks, MULTIPLES),
        ("single", players.single_masks, SINGLES),
    ):
        contest = _contest(name, masks(rng, shares, int(size * scale)))
        shown = seal.with_codes(contest, rng)
        if sealing:
            figures |= seal.measure(stack, name, contest, pairs=pairs)
        _run(contest)
        if sealing:
            figures |= seal.proofs(stack, name, shown)
        if settling_too:
            figures |= _measure(stack, name, contest, pairs)
    if settling_too:
        checks = [figures[f"seal.{name}.verify_s"] for name in ("multiple", "single")]
        figures["seal.verify_s"] = max(checks)
    if sealing:
        figures["seal.ratio"] = max(figures[f"seal.{n}.ratio"] for n in ("multiple", "single"))
        figures["seal.proof_p99_ms"] = figures["seal.multiple.proof_p99_ms"]
    return figures


def _measure(stack: Stack, name: str, contest: Contest, pairs: int) -> dict[str, float]:
    peaks: list[float] = []
    verified: list[float] = []

    def ours() -> float:
        _rest(stack)
        answer = json.loads(
            subprocess.run(
                [sys.executable, "-m", "tests.bench.worker", str(contest.pk)],
                cwd=ROOT,
                env=stack.environment | {"LOG_LEVEL": "WARNING"},
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            ).stdout
        )
        peaks.append(answer["peak_mb"])
        verified.append(answer["verify_s"])
        return float(answer["seconds"])

    def undone() -> float:
        seconds = ours()
        settlement_reverse(contest_id=contest.pk, by=factories.staff(Role.STEWARDS))
        guard = "ALTER TABLE lototrot_prize {} TRIGGER guard_truncate"
        _owner(guard.format("DISABLE"), "TRUNCATE lototrot_prize", guard.format("ENABLE"))
        return seconds

    with _raw_table():
        undone()
        settled = Settlement.objects.get(contest=contest, number=1)
        raw = _raw(stack, contest.pk, settled.winning_tickets)
        measured = interleave(raw, undone, pairs=pairs)
    found = {
        "tickets": settled.tickets,
        "bets": settled.bets,
        "winning_tickets": settled.winning_tickets,
        "raw_s": sorted(measured.baseline)[pairs // 2],
        "settle_s": sorted(measured.ours)[pairs // 2],
        "ratio": measured.ratio,
        "worker_peak_mb": max(peaks),
    }
    figures = {f"settlement.{name}.{key}": float(value) for key, value in found.items()}
    return figures | {f"seal.{name}.verify_s": sorted(verified)[len(verified) // 2]}


def _raw(stack: Stack, contest_id: int, winning_tickets: int) -> Callable[[], float]:
    read, write = _RAW[0], _RAW[1].format(winning_tickets)

    def run() -> float:
        _owner("TRUNCATE raw_prize")
        _rest(stack)
        began = time.perf_counter()
        with connections["owner"].cursor() as cursor:
            cursor.execute(read, [contest_id])
            cursor.execute(write, [contest_id])
        return time.perf_counter() - began

    return run


@contextmanager
def _raw_table() -> Iterator[None]:
    """A table with the columns and indexes of the prizes, without foreign keys or triggers."""
    _owner(
        "CREATE TABLE raw_prize (LIKE lototrot_prize INCLUDING IDENTITY INCLUDING INDEXES"
        " INCLUDING CONSTRAINTS)",
        f"ALTER TABLE raw_prize DROP COLUMN {COLUMN}",
    )
    try:
        yield
    finally:
        _owner("DROP TABLE raw_prize")


def _rest(stack: Stack) -> None:
    """What earlier rounds left behind is not to be paid for by the next."""
    _owner("VACUUM (ANALYZE) lototrot_prize", "VACUUM (ANALYZE) raw_prize")
    if stack.postgres is not None:
        with psycopg.connect(stack.postgres.url(SUPERUSER), autocommit=True) as server:
            server.execute("CHECKPOINT")


def _contest(name: str, tickets: Iterable[tuple[int, ...]]) -> Contest:
    """A contest on sale with those tickets."""
    shares = facts.load("son-pardo").bet_shares()
    rules = replace(rounds.rules(), code=f"bench-{name}")
    contest = rounds.contest(rules, [sorted(race) for race in shares], price_cents=50)
    point = factories.point()
    _stage(len(shares), tickets)
    _load(contest, point)
    return contest


def _run(contest: Contest) -> None:
    shares = facts.load("son-pardo").bet_shares()
    races = [
        Race(tuple(sorted(race)), winners=frozenset({winner}))
        for race, winner in zip(shares, WINNERS, strict=True)
    ]
    rounds.run(contest, races)


def _stage(legs: int, tickets: Iterable[tuple[int, ...]]) -> None:
    """The tickets' masks and numbers of bets, copied into a table of their own."""
    names = [f"leg_{leg}" for leg in range(1, legs + 1)]
    _owner(_STAGE.format(", ".join(f"{leg} integer" for leg in names)), "TRUNCATE bench_masks")
    row = struct.Struct("!h" + "ii" * (legs + 1))
    fours = (4,) * (legs + 1)
    with (
        connections["owner"].cursor() as cursor,
        cursor.copy("COPY bench_masks FROM STDIN (FORMAT BINARY)") as copy,
    ):
        rows = [b"PGCOPY\n\xff\r\n\0" + struct.pack("!ii", 0, 0)]
        for masks in tickets:
            values = (prod(map(int.bit_count, masks)), *masks)
            rows.append(
                row.pack(legs + 1, *(v for pair in zip(fours, values, strict=True) for v in pair))
            )
            if len(rows) > _ROWS_AT_ONCE:
                copy.write(b"".join(rows))
                rows = []
        copy.write(b"".join(rows) + struct.pack("!h", -1))


def _load(contest: Contest, point: factories.Point) -> None:
    """Tickets and transfers from the staged masks, into tables without their extras meanwhile."""
    place = premises_account(point.premises.pk)
    legs = ", ".join(f"leg_{leg}" for leg in range(1, len(contest.offered_masks) + 1))
    values = {
        "contest": contest.pk,
        "premises": point.premises.pk,
        "terminal": point.terminal.pk,
        "operator": point.operator.pk,
        "at": contest.opened_at,
        "price": contest.price_cents,
        "debit": account_open([place])[place.code].pk,
        "credit": contest.takings_account_id,
    }
    with connections["owner"].cursor() as cursor:
        back = []
        for table in ("lototrot_ticket", "ledger_transfer"):
            cursor.execute(_EXTRAS, {"table": table})
            for take_off, put_back in cursor.fetchall():
                cursor.execute(take_off)
                back.append(put_back)
        cursor.execute(_TICKETS.format(legs=legs), values)
        cursor.execute(_TRANSFERS, values)
        for put_back in back:
            cursor.execute(put_back)
    _owner(
        "TRUNCATE bench_masks",
        "VACUUM (ANALYZE) lototrot_ticket",
        "VACUUM (ANALYZE) ledger_transfer",
    )
    connection.close()  # its plans knew the tables without their indexes


def _owner(*statements: str) -> None:
    with connections["owner"].cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
