"""Drills of machines that live but cannot work: stopped for a while, a full disk, a wrong clock."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import psycopg

from core.tools.cluster.cluster import DATABASES
from core.tools.deploying.patroni import REST_PORT
from core.tools.embedded.processes import EmbeddedError
from tests.drills.ground import Ground
from tests.drills.losing import AIM_S, LEASE_S, need_namespaces, writes
from tests.drills.outcomes import Outcome

_WITHIN_S = 120.0
_STOPPED_S = LEASE_S + 10
_DISK_BYTES = 1 << 30
_FULL_S = 20.0
_BEHIND_S = 40.0
_LOOKED_AT_S = 12.0
_CLOCK = """
CREATE OR REPLACE FUNCTION core_server_clock() RETURNS timestamptz LANGUAGE sql VOLATILE
AS $$ SELECT clock_timestamp() - CASE WHEN inet_server_addr() = '{right}' THEN interval '0'
                                      ELSE interval '{seconds} seconds' END $$
"""
_NO_GUARD = """
CREATE OR REPLACE FUNCTION core_clock_unsound() RETURNS TABLE (unsound boolean)
LANGUAGE sql STABLE ROWS 1 AS $$ SELECT false $$
"""
_AS_IT_IS = "SELECT pg_get_functiondef(%s::regprocedure)"
_BEFORE_ITS_TIME = """
SELECT count(*) FROM (
    SELECT sold_at, max(sold_at) OVER (
        ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS newest
      FROM lototrot_ticket) t
 WHERE sold_at < newest - interval '5 seconds'
"""


def paused(ground: Ground, rounds: int) -> Outcome:
    """Stop all processes of the primary's machine for longer than its lease, and let them go on.

    It wakes as a primary among terminals that ask it: it must take no write, and follow.
    """
    outcome, cluster = Outcome(), ground.cluster
    for _ in range(rounds):
        with ground.selling() as crowd:
            leader = cluster.wait_primary()
            cluster.machines[leader].freeze()
            stopped = time.monotonic()
            try:
                outcome.first_sales_s.append(crowd.first_sale_after(stopped, _WITHIN_S))
                ground.note_alarm(outcome)
                time.sleep(max(0.0, stopped + _STOPPED_S - time.monotonic()))
            finally:
                cluster.machines[leader].thaw()
            if writes(ground, leader):
                outcome.lost += 1
                outcome.notes.append(f"{leader} took a write when it woke, while another led")
            crowd.wait_sales()
        cluster.wait_standbys()
        ground.audit(outcome, commands=False)
        outcome.rounds += 1
    p95 = outcome.first_sale_p95_s or float("inf")
    outcome.passed = not (outcome.lost or outcome.invented) and p95 <= LEASE_S + AIM_S
    return outcome


def disk(ground: Ground, rounds: int) -> Outcome:
    """Fill the disk of the primary's machine, and make room again after a while.

    The machine gets a disk of 1 GiB in memory, a copy of the data, and the lead. Sales that it
    cannot write are refused as transient, or another machine takes over.
    """
    need_namespaces(ground)
    outcome, cluster = Outcome(), ground.cluster
    for _ in range(rounds):
        leader = cluster.wait_primary()
        chosen = next(name for name in DATABASES if name != leader)
        cluster.small_disk(chosen, _DISK_BYTES)
        cluster.wait_standbys()
        switch_over(ground, leader, chosen)
        with ground.selling() as crowd:
            faults = crowd.answers.faults.copy()
            filler = cluster.home(chosen) / "filler"
            _fill(filler)
            full = time.monotonic()
            time.sleep(_FULL_S)
            sold = crowd.answers.sales_between(full, time.monotonic())
            filler.unlink()
            free = time.monotonic()
            outcome.first_sales_s.append(crowd.first_sale_after(free, _WITHIN_S))
            crowd.wait_sales()
            met = crowd.answers.faults - faults
        cluster.wait_standbys()
        ground.audit(outcome)
        outcome.notes.append(
            f"{sold} sales in {_FULL_S:.0f} s without room, then {cluster.wait_primary()} led where"
            f" {chosen} had; tries that were not answered well: {dict(met)}"
        )
        hard = met["500"]
        outcome.figures["answered_500"] = outcome.figures.get("answered_500", 0.0) + hard
        outcome.rounds += 1
    p95 = outcome.first_sale_p95_s or float("inf")
    good = not (outcome.lost or outcome.invented or outcome.figures["answered_500"])
    outcome.passed = good and p95 <= LEASE_S + AIM_S
    return outcome


def _fill(filler: Path) -> None:
    """Write a file until the disk is full."""
    block = bytes(1 << 20)
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(block)
        except OSError:
            return


def switch_over(ground: Ground, leader: str, chosen: str) -> None:
    """Ask Patroni to give the lead to another machine, and wait until that machine has it."""
    cluster = ground.cluster
    deadline = time.monotonic() + _WITHIN_S
    while cluster.primary() != chosen:
        if time.monotonic() > deadline:
            raise EmbeddedError(f"{chosen} did not take over from {leader}")
        connection = HTTPConnection(cluster.machines[leader].address, REST_PORT, timeout=60)
        words = json.dumps({"leader": leader, "candidate": chosen})
        connection.request("POST", "/switchover", words, {"Content-Type": "application/json"})
        connection.getresponse().read()
        connection.close()
        time.sleep(2)
    cluster.wait_standbys()


def clock(ground: Ground, rounds: int) -> Outcome:
    """Set the clock of every standby's machine back, and kill the primary.

    Nothing is sold until somebody sets the clock of the promoted machine right. Twin: sales do not
    ask whether the clock is right, and are sold at times before those of earlier ones.
    """
    outcome = Outcome()
    for _ in range(rounds):
        sold = _promoted_behind(ground, outcome)
        if sold:
            outcome.lost += sold
            outcome.notes.append(f"{sold} tickets were sold while the clock was behind")
        ground.audit(outcome, commands=False)
        outcome.rounds += 1
    outcome.invented += _before_their_time(ground)
    ground.cluster.wait_standbys()
    with _replaced(ground, "core_clock_unsound()", _NO_GUARD):
        _promoted_behind(ground, Outcome())
    outcome.twin_lost = _before_their_time(ground)
    ground.cluster.wait_standbys()
    p95 = outcome.first_sale_p95_s or float("inf")
    good = not (outcome.lost or outcome.invented) and bool(outcome.twin_lost)
    outcome.passed = good and p95 <= AIM_S
    return outcome


def _promoted_behind(ground: Ground, outcome: Outcome) -> int:
    """Kill the primary while every other clock is behind, then set the new one's right.

    Return how many tickets were sold in between.
    """
    cluster = ground.cluster
    leader = cluster.wait_primary()
    words = _CLOCK.format(right=cluster.machines[leader].address, seconds=_BEHIND_S)
    with ground.selling() as crowd:
        with _replaced(ground, "core_server_clock()", words):
            crowd.wait_sales()
            cluster.machines[leader].signal_programs("postgres", "KILL")
            cluster.wait_primary(but=leader)
            before = _tickets(ground)  # an answer to a repeated request is no sale
            time.sleep(_LOOKED_AT_S)
            sold = _tickets(ground) - before
        right = time.monotonic()
        outcome.first_sales_s.append(crowd.first_sale_after(right, _WITHIN_S))
        crowd.wait_sales()
    return sold


@contextmanager
def _replaced(ground: Ground, function: str, by: str) -> Iterator[None]:
    """Replace a function of the database inside the block."""
    (before,) = _owner(ground, _AS_IT_IS, function)
    _owner(ground, by)
    try:
        yield
    finally:
        _owner(ground, before)


def _tickets(ground: Ground) -> int:
    return int(_owner(ground, "SELECT count(*) FROM lototrot_ticket")[0])


def _before_their_time(ground: Ground) -> int:
    """Return how many tickets have a time before that of an earlier one."""
    return int(_owner(ground, _BEFORE_ITS_TIME)[0])


def _owner(ground: Ground, statement: str, *values: str) -> tuple[Any, ...]:
    """Execute a statement as the owner of the tables; return its first row, empty without one.

    Wait for a server that takes writes: one that was just promoted may not yet.
    """
    url = ground.cluster.environment["DATABASE_OWNER_URL"]
    deadline = time.monotonic() + _WITHIN_S
    while True:
        try:
            with psycopg.connect(url) as session:
                done = session.execute(statement.encode(), values or None)
                return done.fetchone() or () if done.description else ()
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.2)
