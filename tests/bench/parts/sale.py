"""Tickets sold per second over HTTP, against the bare writes of a ticket and its transfer."""

import json
from random import Random
from typing import Any

from lototrot.models.contest import Contest
from lototrot.models.tickets import LEG_COLUMNS
from lototrot.sample import facts, players
from tests.bench import load, raw
from tests.bench.load import Load
from tests.bench.pairs import interleave, percentile
from tests.bench.store import Figures, Store, credentials
from tests.support import factories
from tests.support.factories.request_uuids import SystemClock

PATH = "/api/v1/lototrot/tickets"
SINGLES, MULTIPLES = 700, 300
"""Most tickets are small; the share of multiple tickets is that of a good day."""
SEED = 20060305

_COLUMNS = (
    "uuid, contest_id, premises_id, terminal_id, operator_id, sold_at, bets, quick_legs, "
    + ", ".join(LEG_COLUMNS[:7])
    + ", amount_cents, code_digest, request_digest, code_commitment"
)
_RAW = f"""BEGIN;
INSERT INTO raw_lototrot_ticket ({_COLUMNS})
VALUES (gen_random_uuid(), 1, 1, 1, 1, clock_timestamp(), 1, 0,
    1, 2, 4, 8, 16, 32, 64, 100, substr(uuid_send(gen_random_uuid()), 1, 15),
    '\\x{"00" * 16}', '\\x{"00" * 32}') RETURNING id;
INSERT INTO raw_ledger_transfer (reference, line, kind, debit_id, credit_id, amount_cents, at)
    VALUES (gen_random_uuid(), 0, 'lototrot.sale', 1, 2, 100, clock_timestamp());
COMMIT;
"""


class Sales:
    """Requests that sell tickets of one contest, drawn from bodies that are made beforehand."""

    def __init__(self, contest: Contest, points: list[factories.Point], seed: int = SEED) -> None:
        self._rng = Random(seed)
        self._clock = SystemClock()
        self._headers = credentials(points)
        shares = facts.load("son-pardo").bet_shares()
        selections = players.selections(
            self._rng, shares, singles=SINGLES, multiples=MULTIPLES, quick_picks=0
        )
        self._bodies = [_body(contest, selection.numbers) for selection in selections]

    def request(self, number: int) -> bytes:
        """Return the next sale of the terminal with that number."""
        body = self._bodies[int(self._rng.random() * len(self._bodies))]
        content = json.dumps({"uuid": str(self._clock.request_uuid()), **body}).encode()
        return load.post(PATH, content, self._headers[number])


def _body(contest: Contest, numbers: tuple[tuple[int, ...], ...]) -> dict[str, Any]:
    bets = 1
    for marked in numbers:
        bets *= len(marked)
    return {
        "contest": contest.pk,
        "price_cents": contest.price_cents,
        "amount_cents": bets * contest.price_cents,
        "races": [list(marked) for marked in numbers],
    }


def measure(store: Store) -> Figures:
    """Return the figures `sale.*`. Any answer but 201 is an error of the run."""
    raw.copy("lototrot_ticket", "uuid")
    raw.copy("ledger_transfer", "reference")
    script = store.stack.folder / "raw_sale.sql"
    script.write_text(_RAW)
    loads: list[Load] = []
    with store.contest_on_sale() as (contest, points):
        sales = Sales(contest, points)

        def sell() -> float:
            loads.append(store.load(sales.request))
            return loads[-1].per_s(201)

        measured = interleave(lambda: raw.per_s(script, store), sell, pairs=store.size.pairs)
    counted = loads[1:]
    latencies = [latency for one in counted for latency in one.latencies_ms]
    return {
        "sale.raw_per_s": measured.baseline_median,
        "sale.http_per_s": measured.ours_median,
        "sale.ratio": measured.ratio,
        "sale.p50_ms": percentile(latencies, 0.50),
        "sale.p99_ms": percentile(latencies, 0.99),
        "sale.client_cpu_share": sum(one.client_cpu_s for one in counted)
        / sum(one.seconds for one in counted),
    }
