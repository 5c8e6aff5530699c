"""An emission sold out and played by sixteen terminals while processes and sessions are killed."""

import random
import time
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

import psycopg
import pytest

from core.ledger.books import differences
from promotrot.models.emission import Emission
from tests.support import emitting, factories
from tests.support.concurrency.killing import Players
from tests.support.databases import Database

PROCESSES, TERMINALS_EACH = 4, 4
TICKETS, KILLS, SESSIONS_ENDED = 1_600, 6, 40
TIERS = ({"cash_cents": 10_000, "count": 4}, {"cash_cents": 100, "count": 720})
"""1,120.00 of 1,600.00: exactly 70 %."""
PATIENCE_S = 150


def start(emission: Emission, environment: dict[str, str], folder: Path) -> list[Players]:
    points = [factories.point() for _ in range(PROCESSES * TERMINALS_EACH)]
    terminals = [
        {"number": number, "token": point.token, "session": point.session_token}
        for number, point in enumerate(points)
    ]
    plan = {"emission": emission.pk, "price_cents": emission.price_cents}
    return [
        Players(plan | {"terminals": terminals[n::PROCESSES]}, environment, folder / f"{n}.txt")
        for n in range(PROCESSES)
    ]


def played(url: str) -> int:
    with psycopg.connect(url) as session:
        (count,) = session.execute("SELECT count(*) FROM promotrot_playend").fetchone()
    return int(count)


def trouble(running: list[Players], url: str) -> None:
    """Kill processes as the sale goes on, and end sessions in between, drawn from a seed."""
    drawing = random.Random(15)
    until = time.monotonic() + PATIENCE_S
    ended = 0
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute("SELECT setseed(0.15)")
        for kill in range(KILLS):
            goal = TICKETS * (kill + 1) // (KILLS + 2)
            while played(url) < goal:
                assert time.monotonic() < until, "the sale does not go on"
                for _ in range(SESSIONS_ENDED // KILLS):
                    ended += owner.execute(
                        "SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity"
                        " WHERE datname = current_database() AND query LIKE '%promotrot_%'"
                        " AND pid <> pg_backend_pid() AND state <> 'idle'"
                        " ORDER BY random() LIMIT 1) victim"
                    ).rowcount
                    time.sleep(0.02)
            drawing.choice(running).kill_and_resume()
    assert ended, "no session was met in the middle of a statement"
    for each in running:
        assert each.process.wait(max(1.0, until - time.monotonic())) == 0, each.process.errors()


@pytest.mark.article("15.II.2", "15.III.3", "15.III.6.2")
def test_every_ticket_once_and_the_prizes_exactly_the_table(
    own_database: Database, tmp_path: Path
) -> None:
    definition = emitting.small(
        tickets=TICKETS, block_tickets=TICKETS, tiers=[*TIERS], price_cents=100
    )
    emission = emitting.opened(definition)
    running = start(emission, own_database.environment, tmp_path)
    try:
        trouble(running, own_database.owner_url)
    finally:
        for each in running:
            each.process.kill()
    answers = [line for each in running for line in each.lines("played")]
    audit(own_database.owner_url, emission, {uuid.UUID(ident) for ident, _ in answers})
    by_tier = Counter(tier for _, tier in {(ident, tier) for ident, tier in answers})
    assert by_tier == {"0": TICKETS - 724, "1": 4, "2": 720}
    assert differences()[1] == []


def audit(url: str, emission: Emission, answered: set[uuid.UUID]) -> None:
    """By SQL alone: each place of the emission was sold once and played once, and paid for."""
    with psycopg.connect(url) as session:

        def one(query: str) -> tuple[Any, ...]:
            row = session.execute(query).fetchone()
            assert row is not None
            return tuple(row)

        places = one(
            "SELECT count(*), count(DISTINCT position), min(position), max(position)"
            " FROM promotrot_playticket"
        )
        assert places == (TICKETS, TICKETS, 0, TICKETS - 1)
        assert one("SELECT sum(taken), bool_or(open) FROM promotrot_lane") == (TICKETS, False)
        tiers = session.execute("SELECT tier, count(*) FROM promotrot_playend GROUP BY 1")
        assert dict(tiers.fetchall()) == {0: TICKETS - 724, 1: 4, 2: 720}
        assert one("SELECT count(*) FROM promotrot_playact") == (TICKETS,)
        assert one("SELECT count(*), sum(amount_cents) FROM promotrot_voucher") == (724, 112_000)
        assert one(
            "SELECT count(*) FROM promotrot_playticket t FULL JOIN (SELECT * FROM ledger_transfer"
            " WHERE kind = 'promotrot.sale') x ON x.reference = t.uuid"
            " AND x.amount_cents = t.price_cents WHERE t.id IS NULL OR x.id IS NULL"
        ) == (0,)
        assert one(
            "SELECT count(*) FROM promotrot_voucher v FULL JOIN (SELECT * FROM ledger_transfer"
            " WHERE kind = 'promotrot.award') x ON x.reference = v.uuid"
            " AND x.amount_cents = v.amount_cents WHERE v.id IS NULL OR x.id IS NULL"
        ) == (0,)
        rows = {row[0] for row in session.execute("SELECT uuid FROM promotrot_playticket")}
    assert rows == answered
