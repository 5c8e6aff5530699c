"""Checking and paying winning tickets over HTTP, against the bare writes of a payment.

One act is two requests of a terminal, as it is worked: the check that shows state and amount, then
the payment of it. A ratio counts acts; a latency is a request's, of either kind.
"""

import json
import secrets
import uuid
from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings

from core.database import clock
from core.kernel import codes
from core.kernel.days import natural_day
from core.tools.embedded.stack import Stack
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket
from tests.bench import client, raw
from tests.bench.pairs import interleave, percentile
from tests.bench.raw import CONNECTIONS
from tests.support import factories, paying

CHECK, PAY = "/api/v1/claims/check", "/api/v1/claims/payments"
PRIZE_CENTS = 8_550
MOST_PER_S = 1_500  # acts, of which enough tickets are made
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
    """Terminals that check a ticket and then pay it, each its own tickets."""

    def __init__(self, printed: Iterator[str], points: list[factories.Point]) -> None:
        self.printed = printed
        self.headers = [
            {"Authorization": f"Terminal {p.token}", "X-Operator-Session": p.session_token}
            for p in points
        ]
        self.checked: dict[int, str] = {}

    def request(self, number: int) -> bytes:
        code = self.checked.pop(number, "")
        if not code:
            code = self.checked[number] = next(self.printed)
            return client.post(CHECK, json.dumps({"code": code}).encode(), self.headers[number])
        body = {
            "uuid": str(uuid.uuid4()),
            "code": code,
            "amount_cents": PRIZE_CENTS,
            "intact": True,
        }
        return client.post(PAY, json.dumps(body).encode(), self.headers[number])


def measure(stack: Stack, *, pairs: int, seconds: float) -> dict[str, float]:
    """The keys `pay.*`. Every answer must be 200 or 201: anything else is an error of the run."""
    for table, unique in _TABLES.items():
        raw.copy(table, unique)
    script = stack.folder / "raw_pay.sql"
    script.write_text(_RAW)
    owner_url = stack.environment["DATABASE_OWNER_URL"]
    printed = _winning_tickets(round((pairs + 1) * seconds * MOST_PER_S))
    acts = Acts(iter(printed), [factories.point() for _ in range(CONNECTIONS)])
    loads: list[client.Load] = []

    def http() -> float:
        acts.checked.clear()
        load = client.run(
            stack.base_url, connections=CONNECTIONS, seconds=seconds, request=acts.request
        )
        if set(load.statuses) - {200, 201}:
            raise RuntimeError(f"payments were refused: {dict(load.statuses)}")
        loads.append(load)
        return load.per_s(201)

    measured = interleave(lambda: raw.per_s(script, owner_url, seconds), http, pairs=pairs)
    latencies = [each for load in loads[1:] for each in load.latencies_ms]
    return {
        "pay.raw_per_s": sorted(measured.baseline)[pairs // 2],
        "pay.http_acts_per_s": sorted(measured.ours)[pairs // 2],
        "pay.requests_per_act": 2.0,
        "pay.ratio": measured.ratio,
        "pay.p50_ms": percentile(latencies, 0.50),
        "pay.p99_ms": percentile(latencies, 0.99),
    }


def _winning_tickets(count: int) -> list[str]:
    """The codes of so many tickets of one contest, each with the same prize, payable today."""
    day = natural_day(clock.now()) - timedelta(days=1)
    contest: Contest = factories.contest(factories.meeting(numbers=range(1, 16), day=day))
    at, key = factories.point(), secrets.token_bytes(32)
    printed: list[str] = []
    prizes: dict[int, int] = {}
    for first in range(0, count, _ROWS_AT_ONCE):
        idents = [uuid.uuid4() for _ in range(min(_ROWS_AT_ONCE, count - first))]
        made = [codes.issue(codes.TICKET, ident, key, settings.CODE_KEYS) for ident in idents]
        rows = Ticket.objects.bulk_create(
            paying.sold_ticket(contest, at, ident, code)
            for ident, code in zip(idents, made, strict=True)
        )
        printed += [code.text for code in made]
        prizes |= {row.pk: PRIZE_CENTS for row in rows}
    paying.order(contest, prizes, results_day=day)
    return printed
