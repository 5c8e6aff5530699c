"""The lapse of a million winning tickets against a plain INSERT ... SELECT of the same rows, and
the memory of the audit of a big meeting.

The lapse is the night's own, from the claims to the ledger; each round it is undone by the tables'
owner. The plain insert goes into a table with the claims' columns and indexes, from the same rows.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from itertools import repeat
from random import Random

import psycopg
from django.db import connections

from core.journal.install import COLUMN
from core.kernel.days import add_days, day_bounds
from core.staff import two_persons
from core.tools.embedded.postgres import SUPERUSER
from core.tools.embedded.server import ROOT
from core.tools.embedded.stack import Stack
from lototrot import tasks
from lototrot.engine.races import mask_of
from lototrot.models.contest import Contest
from lototrot.models.settlement import PaymentOrder
from lototrot.sample import facts, players
from lototrot.services.prizes.lapsing import lapse
from lototrot.services.settlement.payment_order import payment_order_propose
from tests.bench import settlement
from tests.bench.pairs import interleave
from tests.support import factories

WINNING = 1_000_000
_PLAIN = """
INSERT INTO raw_claim (game, document_id, state, amount_cents, opened_at, day)
SELECT 'lototrot', ticket_id, 'lapsed', prize_cents, clock_timestamp(), current_date
  FROM lototrot_prize WHERE settlement_id = %s AND prize_cents > 0
"""
_UNDONE = (
    "SET session_replication_role = replica",
    "DELETE FROM payoffice_claim WHERE state = 'lapsed'",
    "DELETE FROM lototrot_lapse",
    "DELETE FROM ledger_transfer WHERE kind = 'lototrot.lapse'",
    "RESET session_replication_role",
    "VACUUM (ANALYZE) payoffice_claim",
)


def measure(stack: Stack, *, pairs: int, scale: float) -> dict[str, float]:
    """The keys `nightly.*`. Every winning ticket lapses, or it is an error of the run."""
    contest = _settled(int(WINNING * scale))
    small = _audited(stack)
    order = _ordered(contest)
    today = add_days(order.last_claim_day, 1)
    prizes = contest.settlements.get(in_force=True).winning_tickets

    def ours() -> float:
        _rest(stack)
        began = time.perf_counter()
        lapsed = lapse(contest.pk, today)
        seconds = time.perf_counter() - began
        if lapsed.documents != prizes:
            raise RuntimeError(f"{lapsed.documents} of {prizes} lapsed")
        _undo(stack)
        return seconds

    def plain() -> float:
        settlement._owner("TRUNCATE raw_claim")
        _rest(stack)
        began = time.perf_counter()
        with connections["owner"].cursor() as cursor:
            cursor.execute(_PLAIN, [order.settlement_id])
        return time.perf_counter() - began

    with _raw_claims():
        factories.time_to(day_bounds(today)[0] + timedelta(hours=12))
        measured = interleave(plain, ours, pairs=pairs)
    big = _big(scale)
    audit = _audited(stack)
    return {
        "nightly.lapse_tickets": float(prizes),
        "nightly.lapse_plain_s": sorted(measured.baseline)[pairs // 2],
        "nightly.lapse_s": sorted(measured.ours)[pairs // 2],
        "nightly.lapse_ratio": measured.ratio,
        "nightly.audit_small_tickets": small["tickets"],
        "nightly.audit_small_peak_mb": small["peak_mb"],
        "nightly.audit_tickets": audit["tickets"],
        "nightly.audit_of_which_one_meeting": float(big),
        "nightly.audit_s": audit["seconds"],
        "nightly.audit_peak_mb": audit["peak_mb"],
    }


def _settled(winning: int) -> Contest:
    """A contest that everybody won, settled."""
    masks = tuple(mask_of([winner]) for winner in settlement.WINNERS)
    contest = settlement._contest("lapse", repeat(masks, winning))
    settlement._run(contest)
    return _settle(contest)


def _settle(contest: Contest) -> Contest:
    tasks.seal(contest.pk)
    if not tasks.settle(contest.pk):
        raise RuntimeError("the contest was not settled")
    contest.refresh_from_db()
    return contest


def _ordered(contest: Contest) -> PaymentOrder:
    first, second = factories.two_organisers()
    proposal = payment_order_propose(by=first, contest_id=contest.pk)
    two_persons.confirm(proposal=proposal.uuid, by=second)
    return PaymentOrder.objects.get(contest=contest)


def _big(scale: float) -> int:
    """Settle the biggest meeting, which the settlement's bench may have left; its tickets."""
    left = Contest.objects.filter(bet_type_code="bench-single", state=Contest.State.CLOSED).first()
    if left is None:
        shares = facts.load("son-pardo").bet_shares()
        many = int(settlement.SINGLES * scale)
        masks = players.single_masks(Random(settlement.SEED), shares, many)
        left = settlement._contest("audit", masks)
        settlement._run(left)
    return int(_settle(left).settlements.get(in_force=True).tickets)


def _audited(stack: Stack) -> dict[str, float]:
    found = json.loads(
        subprocess.run(
            [sys.executable, "-m", "tests.bench.auditor"],
            cwd=ROOT,
            env=stack.environment | {"LOG_LEVEL": "WARNING"},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout
    )
    if found.pop("findings"):
        raise RuntimeError("the audit found differences")
    return {name: float(value) for name, value in found.items()}


def _undo(stack: Stack) -> None:
    """As if nothing had lapsed: the server's own superuser takes the rows back out."""
    if stack.postgres is None:
        raise RuntimeError("the lapse is undone on the embedded server only")
    with psycopg.connect(stack.postgres.url(SUPERUSER), autocommit=True) as server:
        for statement in _UNDONE:
            server.execute(statement)


def _rest(stack: Stack) -> None:
    """What earlier rounds left behind is not to be paid for by the next."""
    if stack.postgres is not None:
        with psycopg.connect(stack.postgres.url(SUPERUSER), autocommit=True) as server:
            server.execute("VACUUM (ANALYZE) raw_claim")
            server.execute("CHECKPOINT")


@contextmanager
def _raw_claims() -> Iterator[None]:
    """A table with the columns and indexes of the claims, without foreign keys or triggers."""
    settlement._owner(
        "CREATE TABLE raw_claim (LIKE payoffice_claim INCLUDING IDENTITY INCLUDING INDEXES"
        " INCLUDING CONSTRAINTS)",
        f"ALTER TABLE raw_claim DROP COLUMN {COLUMN}",
    )
    try:
        yield
    finally:
        settlement._owner("DROP TABLE raw_claim")
