"""Tickets per second through HTTP, against the bare writes of a ticket and its transfer."""

import json
import uuid
from random import Random
from typing import Any

from core.tools.embedded.stack import Stack
from lototrot.models.contest import Contest
from lototrot.models.tickets import LEG_COLUMNS
from lototrot.sample import facts, players
from tests.bench import client, raw
from tests.bench.pairs import interleave, percentile
from tests.bench.raw import CONNECTIONS
from tests.support import factories

PATH = "/api/v1/lototrot/tickets"
# Most tickets are small ones; the share of multiple tickets is that of a good day.
SINGLES, MULTIPLES = 700, 300

_COLUMNS = (
    "uuid, contest_id, premises_id, terminal_id, operator_id, sold_at, bets, quick_legs, "
    + ", ".join(LEG_COLUMNS[:7])
    + ", amount_cents, code_digest, request_digest, code_commitment"
)
_RAW = f"""BEGIN;
INSERT INTO raw_lototrot_ticket ({_COLUMNS})
VALUES (gen_random_uuid(), 1, 1, 1, 1, clock_timestamp(), 1, 0,
    1, 2, 4, 8, 16, 32, 64, 100, uuid_send(gen_random_uuid()),
    '\\\\x{"00" * 32}', '\\\\x{"00" * 32}') RETURNING id;
INSERT INTO raw_ledger_transfer (reference, line, kind, debit_id, credit_id, amount_cents, at)
    VALUES (gen_random_uuid(), 0, 'lototrot.sale', 1, 2, 100, clock_timestamp());
COMMIT;
"""


class Sales:
    """Requests of terminals at one contest, as fast as they can be asked for."""

    def __init__(self, contest: Contest, points: list[factories.Point], rng: Random) -> None:
        self.contest = contest
        self.headers = [
            {"Authorization": f"Terminal {p.token}", "X-Operator-Session": p.session_token}
            for p in points
        ]
        self.bodies = [self._body(each.numbers) for each in self._selections(rng)]
        self.rng = rng

    def _selections(self, rng: Random) -> list[players.Selection]:
        shares = facts.load("son-pardo").bet_shares()
        drawn = players.selections(rng, shares, singles=SINGLES, multiples=MULTIPLES, quick_picks=0)
        return list(drawn)

    def _body(self, numbers: tuple[tuple[int, ...], ...]) -> dict[str, Any]:
        bets = 1
        for race in numbers:
            bets *= len(race)
        return {
            "contest": self.contest.pk,
            "price_cents": self.contest.price_cents,
            "amount_cents": bets * self.contest.price_cents,
            "races": [list(race) for race in numbers],
        }

    def request(self, number: int) -> bytes:
        body = self.bodies[int(self.rng.random() * len(self.bodies))]
        content = json.dumps({"uuid": str(uuid.uuid4()), **body}).encode()
        return client.post(PATH, content, self.headers[number])


def measure(stack: Stack, *, pairs: int, seconds: float) -> dict[str, float]:
    """The keys `sale.*`. Every answer must be 201: anything else is an error of the run."""
    raw.copy("lototrot_ticket", "uuid")
    raw.copy("ledger_transfer", "reference")
    script = stack.folder / "raw.sql"
    script.write_text(_RAW.replace("\\\\x", "\\x"))
    owner_url = stack.environment["DATABASE_OWNER_URL"]
    contest = factories.contest(factories.meeting(numbers=range(1, 16)))
    points = [factories.point() for _ in range(CONNECTIONS)]
    for point in points:
        factories.acknowledge(contest, point)
    sales = Sales(contest, points, Random(20060305))
    loads: list[client.Load] = []

    def http() -> float:
        load = client.run(
            stack.base_url, connections=CONNECTIONS, seconds=seconds, request=sales.request
        )
        if set(load.statuses) != {201}:
            raise RuntimeError(f"sales were refused: {dict(load.statuses)}")
        loads.append(load)
        return load.per_s(201)

    measured = interleave(lambda: raw.per_s(script, owner_url, seconds), http, pairs=pairs)
    latencies = [each for load in loads[1:] for each in load.latencies_ms]
    return {
        "sale.raw_per_s": sorted(measured.baseline)[pairs // 2],
        "sale.http_per_s": sorted(measured.ours)[pairs // 2],
        "sale.ratio": measured.ratio,
        "sale.p50_ms": percentile(latencies, 0.50),
        "sale.p99_ms": percentile(latencies, 0.99),
        "sale.client_cpu_share": sum(each.client_cpu_s for each in loads[1:])
        / sum(each.seconds for each in loads[1:]),
    }
