"""Seconds to lapse a million winning tickets, against a plain INSERT ... SELECT of the same rows.

Also the memory of the nightly audit of a big meeting. The lapse is the night's own, from the claims
to the ledger; the superuser undoes it after each round. The plain insert writes the same rows into
a table with the columns and indexes of the claims.
"""

import time
from datetime import timedelta
from itertools import repeat
from typing import Any

from django.db import connections

from core.kernel.days import add_days, day_bounds
from core.staff import two_persons
from lototrot import tasks
from lototrot.engine.races import mask_of
from lototrot.models.contest import Contest
from lototrot.models.settlement import PaymentOrder
from lototrot.services.prizes.lapsing import lapse
from lototrot.services.settlement.payment_order import payment_order_propose
from tests.bench import raw, tickets
from tests.bench.pairs import Pairs, interleave
from tests.bench.store import Figures, Store, owner_execute
from tests.support import factories

WINNING = 1_000_000
_PLAIN = """
INSERT INTO raw_claim (game, document_id, state, amount_cents, opened_at, day)
SELECT 'lototrot', ticket_id, 'lapsed', prize_cents, clock_timestamp(), current_date
  FROM lototrot_prize WHERE settlement_id = %s AND prize_cents > 0
"""
_UNDO = (
    "SET session_replication_role = replica",
    "DELETE FROM payoffice_claim WHERE state = 'lapsed'",
    "DELETE FROM lototrot_lapse",
    "DELETE FROM ledger_transfer WHERE kind = 'lototrot.lapse'",
    "RESET session_replication_role",
    "VACUUM (ANALYZE) payoffice_claim",
)


def measure(store: Store) -> Figures:
    """Return the figures `nightly.*`. A winning ticket that does not lapse is an error."""
    contest = _settled(store.size.of(WINNING))
    small = _audit(store, contest)
    winning_tickets = contest.settlements.get(in_force=True).winning_tickets
    lapses = _lapse(store, _ordered(contest), winning_tickets)
    big = _settle(tickets.filled(store, "single", on_sale=False).contest)
    del store.filled["single"]  # settled: other parts need one that is not
    audit = _audit(store, contest, big)
    return {
        "nightly.lapse_tickets": float(winning_tickets),
        "nightly.lapse_plain_s": lapses.baseline_median,
        "nightly.lapse_s": lapses.ours_median,
        "nightly.lapse_ratio": lapses.ratio,
        "nightly.audit_small_tickets": float(small["tickets"]),
        "nightly.audit_small_peak_mb": small["peak_mb"],
        "nightly.audit_tickets": float(audit["tickets"]),
        "nightly.audit_of_which_one_meeting": float(big.settlements.get(in_force=True).tickets),
        "nightly.audit_s": audit["seconds"],
        "nightly.audit_peak_mb": audit["peak_mb"],
    }


def _lapse(store: Store, order: PaymentOrder, winning_tickets: int) -> Pairs:
    """Move time to the day after the last day to claim, and measure the lapse in turn."""
    today = add_days(order.last_claim_day, 1)

    def ours() -> float:
        store.rest("raw_claim")
        began = time.perf_counter()
        lapsed = lapse(order.contest_id, today)
        seconds = time.perf_counter() - began
        if lapsed.documents != winning_tickets:
            raise RuntimeError(f"{lapsed.documents} of {winning_tickets} lapsed")
        with store.superuser() as session:
            for statement in _UNDO:
                session.execute(statement)
        return seconds

    def plain() -> float:
        owner_execute("TRUNCATE raw_claim")
        store.rest("raw_claim")
        began = time.perf_counter()
        with connections["owner"].cursor() as cursor:
            cursor.execute(_PLAIN, [order.settlement_id])
        return time.perf_counter() - began

    with raw.indexed_copy("raw_claim", "payoffice_claim"):
        factories.time_to(day_bounds(today)[0] + timedelta(hours=12))
        return interleave(plain, ours, pairs=store.size.pairs)


def _settled(winning_tickets: int) -> Contest:
    """Settle a contest in which every ticket has all races right."""
    masks = tuple(mask_of([winner]) for winner in tickets.WINNERS)
    contest = tickets.load("lapse", repeat(masks, winning_tickets))
    tickets.run(contest)
    return _settle(contest)


def _settle(contest: Contest) -> Contest:
    tasks.seal(contest.pk)
    if not tasks.settle(contest.pk):
        raise RuntimeError("the contest was not settled")
    contest.refresh_from_db()
    return contest


def _ordered(contest: Contest) -> PaymentOrder:
    """Order the payment of the prizes, by two persons."""
    first, second = factories.two_organisers()
    proposal = payment_order_propose(by=first, contest_id=contest.pk)
    two_persons.confirm(proposal=proposal.uuid, by=second)
    return PaymentOrder.objects.get(contest=contest)


def _audit(store: Store, *contests: Contest) -> dict[str, Any]:
    """Audit all settlements in another process; raise if it found differences in these contests.

    Other parts may have written settlements without tickets behind them.
    """
    answer = store.process("auditor")
    ours = {contest.pk for contest in contests}
    findings = [check for contest, check in answer["findings"] if contest in ours]
    if findings:
        raise RuntimeError(f"the audit found differences: {findings}")
    return answer
