"""Checking and paying winning tickets over HTTP, against the bare writes of a payment.

One act is two requests of a terminal: the check, which shows state and amount, and the payment.
The ratio counts acts; the latencies are those of requests of both kinds.
"""

import json
import secrets
from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings

from core.database import clock
from core.kernel import codes
from core.kernel.days import natural_day
from core.premises.requests import new_uuid
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket
from tests.bench import load, raw
from tests.bench.load import Load
from tests.bench.pairs import interleave, percentile
from tests.bench.store import Figures, Store, credentials, free_day, terminals
from tests.support import factories, paying
from tests.support.factories.request_uuids import SystemClock

CHECK, PAY = "/api/v1/claims/check", "/api/v1/claims/payments"
PRIZE_CENTS = 8_550
MOST_PER_S = 1_500  # acts; so many winning tickets are made for each second
_ROWS_AT_ONCE = 10_000

_RAW = f"""BEGIN;
INSERT INTO raw_payoffice_claim (game, document_id, state, amount_cents, opened_at)
VALUES ('lototrot', floor(random() * 9e15)::bigint, 'paid', {PRIZE_CENTS}, clock_timestamp())
RETURNING id AS claim \\gset
INSERT INTO raw_payoffice_payment (uuid, request_digest, claim_id, paid_at, amount_cents, means,
    place, premises_id, terminal_id, operator_id, session_id)
VALUES (gen_random_uuid(), '\\x{"00" * 32}', :claim, clock_timestamp(), {PRIZE_CENTS}, 'cash',
    'establishment', 1, 1, 1, 1);
INSERT INTO raw_ledger_transfer (reference, line, kind, debit_id, credit_id, amount_cents, at)
VALUES (gen_random_uuid(), 0, 'payoffice.prize', 1, 2, {PRIZE_CENTS}, clock_timestamp());
COMMIT;
"""
_TABLES = {
    "payoffice_claim": "game, document_id",
    "payoffice_payment": "uuid",
    "ledger_transfer": "reference",
}


class Acts:
    """Requests of terminals that check a ticket and then pay it, each its own tickets."""

    def __init__(self, printed: Iterator[str], points: list[factories.Point]) -> None:
        self._printed = printed
        self._clock = SystemClock()
        self._headers = credentials(points)
        self.checked: dict[int, str] = {}

    def request(self, number: int) -> bytes:
        """Return the next request of the terminal with that number."""
        code = self.checked.pop(number, "")
        if not code:
            code = self.checked[number] = next(self._printed)
            return load.post(CHECK, json.dumps({"code": code}).encode(), self._headers[number])
        body = {
            "uuid": str(self._clock.request_uuid()),
            "code": code,
            "amount_cents": PRIZE_CENTS,
            "intact": True,
        }
        return load.post(PAY, json.dumps(body).encode(), self._headers[number])


def measure(store: Store) -> Figures:
    """Return the figures `pay.*`. Any answer but 200 or 201 is an error of the run."""
    for table, unique in _TABLES.items():
        raw.copy(table, unique)
    script = store.stack.folder / "raw_pay.sql"
    script.write_text(_RAW)
    size = store.size
    printed = _winning_tickets(round((size.pairs + 1) * size.load_s * MOST_PER_S))
    acts = Acts(iter(printed), terminals())
    loads: list[Load] = []

    def acts_per_s() -> float:
        acts.checked.clear()
        loads.append(store.load(acts.request, statuses={200, 201}))
        return loads[-1].per_s(201)

    measured = interleave(lambda: raw.per_s(script, store), acts_per_s, pairs=size.pairs)
    latencies = [latency for run in loads[1:] for latency in run.latencies_ms]
    return {
        "pay.raw_per_s": measured.baseline_median,
        "pay.http_acts_per_s": measured.ours_median,
        "pay.requests_per_act": 2.0,
        "pay.ratio": measured.ratio,
        "pay.p50_ms": percentile(latencies, 0.50),
        "pay.p99_ms": percentile(latencies, 0.99),
    }


def _winning_tickets(count: int) -> list[str]:
    """Make winning tickets of a past contest, payable today; return the codes on their paper."""
    yesterday = natural_day(clock.now()) - timedelta(days=1)
    day = free_day(yesterday, step_days=-1)
    contest: Contest = factories.contest(factories.meeting(numbers=range(1, 16), day=day))
    at, key = factories.point(), secrets.token_bytes(32)
    printed: list[str] = []
    prizes: dict[int, int] = {}
    for first in range(0, count, _ROWS_AT_ONCE):
        idents = [new_uuid() for _ in range(min(_ROWS_AT_ONCE, count - first))]
        new_codes = [
            codes.issue(codes.TICKET, ident, key, settings.CODE_KEYS, day=day) for ident in idents
        ]
        rows = Ticket.objects.bulk_create(
            paying.sold_ticket(contest, at, ident, code)
            for ident, code in zip(idents, new_codes, strict=True)
        )
        printed += [code.text for code in new_codes]
        prizes |= {row.pk: PRIZE_CENTS for row in rows}
    for race in factories.races_of(contest):
        factories.classified(race, [1])  # the nightly audit reads the results of every settlement
    paying.order(contest, prizes, results_day=yesterday)
    return printed
