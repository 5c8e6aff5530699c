"""Seconds of a settlement, against reading the tickets once and writing as many rows as win.

A round is a whole settlement in another process, committed. The service then reverses it and the
owner removes its prize rows, so that every round starts from the same size. The check of the seal,
which the same task makes before it, is timed apart.

`last_result_to_order_s` is what the organiser waits for after the last result: the check of the
seal, the settlement, and a proposal of the payment order, which is undone. It begins with the
worker's task, and so without the result's own transaction and the broker.
"""

import time

from django.db import connections, transaction

from core.staff.powers import Role
from lototrot.models.settlement import Settlement
from lototrot.services.settlement.payment_order import payment_order_propose
from lototrot.services.settlement.settling import settlement_reverse
from tests.bench import raw
from tests.bench.pairs import interleave, middle
from tests.bench.store import Figures, Store, owner_execute
from tests.bench.tickets import filled
from tests.support import factories

_RAW = (
    "SELECT count(*), sum(amount_cents) FROM lototrot_ticket WHERE contest_id = %s",
    "INSERT INTO raw_prize (settlement_id, ticket_id, winning_bets, prize_cents)"
    " SELECT 1, id, '{{0,0,0,1}}'::integer[], amount_cents FROM lototrot_ticket"
    " WHERE contest_id = %s LIMIT {}",
)


def measure(store: Store, *, kind: str) -> Figures:
    """Return the figures `settlement.KIND.*`, and `seal.KIND.verify_s`."""
    contest = filled(store, kind, on_sale=False).contest
    peaks_mb: list[float] = []
    verify_s: list[float] = []
    to_order_s: list[float] = []

    def settle() -> float:
        store.rest("lototrot_prize", "raw_prize")
        answer = store.process("settler", contest.pk)
        peaks_mb.append(answer["peak_mb"])
        verify_s.append(answer["verify_s"])
        to_order_s.append(answer["verify_s"] + answer["seconds"] + _propose_order(contest.pk))
        settlement_reverse(contest_id=contest.pk, by=factories.staff(Role.STEWARDS))
        guard = "ALTER TABLE lototrot_prize {} TRIGGER guard_truncate"
        owner_execute(guard.format("DISABLE"), "TRUNCATE lototrot_prize", guard.format("ENABLE"))
        return float(answer["seconds"])

    with raw.indexed_copy("raw_prize", "lototrot_prize"):
        settle()
        settled = Settlement.objects.filter(contest=contest).earliest("number")

        def read_and_write() -> float:
            return _read_and_write(store, contest.pk, settled.winning_tickets)

        measured = interleave(read_and_write, settle, pairs=store.size.pairs)
    figures = {
        "tickets": settled.tickets,
        "bets": settled.bets,
        "winning_tickets": settled.winning_tickets,
        "raw_s": measured.baseline_median,
        "settle_s": measured.ours_median,
        "ratio": measured.ratio,
        "worker_peak_mb": max(peaks_mb),
        "last_result_to_order_s": middle(to_order_s),
    }
    return {f"settlement.{kind}.{key}": float(value) for key, value in figures.items()} | {
        f"seal.{kind}.verify_s": middle(verify_s)
    }


def _propose_order(contest_id: int) -> float:
    """Propose the payment order of a settled contest, and undo it; return the seconds."""
    organiser = factories.staff(Role.ORGANISER)
    with transaction.atomic():
        began = time.perf_counter()
        payment_order_propose(by=organiser, contest_id=contest_id)
        seconds = time.perf_counter() - began
        transaction.set_rollback(True)
    return seconds


def _read_and_write(store: Store, contest_id: int, winning_tickets: int) -> float:
    """Read the tickets once and write that many rows; return the seconds."""
    owner_execute("TRUNCATE raw_prize")
    store.rest("lototrot_prize", "raw_prize")
    began = time.perf_counter()
    with connections["owner"].cursor() as cursor:
        cursor.execute(_RAW[0], [contest_id])
        cursor.execute(_RAW[1].format(winning_tickets), [contest_id])
    return time.perf_counter() - began
