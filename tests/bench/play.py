"""Complete plays per second through HTTP, against the bare writes of the same rows.

A complete play of a pre-drawn ticket is two requests: the sale, and the act that reveals, awards
and issues the voucher. The baseline writes all its rows in one transaction: ticket, transfer, act,
end and, for as many plays as win, voucher and transfer.
"""

import json
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psycopg

from core.tools.embedded.postgres import SUPERUSER
from core.tools.embedded.stack import Stack
from promotrot.models.emission import Emission
from tests.bench import client, raw
from tests.bench.pairs import interleave, percentile
from tests.bench.raw import CONNECTIONS
from tests.support import emitting, factories

REQUESTS = 2
GAME = "lap-of-honour"
PATH = "/api/v1/promotrot/plays"
SLOW_DISK = {"commit_delay": "2000", "commit_siblings": "0"}
_TABLES = {
    "promotrot_playticket": "uuid",
    "promotrot_playact": "ticket_id, number",
    "promotrot_playend": "ticket_id",
    "promotrot_voucher": "uuid",
    "ledger_transfer": "reference, line",
}
_TRANSFER = (
    "INSERT INTO raw_ledger_transfer (reference, line, kind, debit_id, credit_id, amount_cents, at)"
    " VALUES (gen_random_uuid(), 0, '{}', 1, 2, 50, clock_timestamp());"
)
_RAW = f"""\\set win random(1, {{tickets}})
BEGIN;
INSERT INTO raw_promotrot_playticket (uuid, emission_id, opening, position, premises_id,
    terminal_id, operator_id, sold_at, price_cents)
VALUES (gen_random_uuid(), 1, 0, 7, 1, 1, 1, clock_timestamp(), 50) RETURNING id AS ticket \\gset
{_TRANSFER.format("promotrot.sale")}
INSERT INTO raw_promotrot_playact (ticket_id, number, act, draw, shown, terminal_id, at)
VALUES (:ticket, 1, 'reveal', 0, 0, 1, clock_timestamp());
INSERT INTO raw_promotrot_playend (ticket_id, cause, tier, extra_tier, awarded_cents, extra_cents,
    picture, ended_at)
VALUES (:ticket, 'played', 0, 0, 0, 0, '{{{{"cells": ["bell", "cap", "whip", "bell", "cap", "whip",
    "sulky", "trophy", "sulky"]}}}}', clock_timestamp());
\\if :win <= {{winners}}
INSERT INTO raw_promotrot_voucher (uuid, ticket_id, number, nature, amount_cents, prizes, thing,
    premises_id, terminal_id, issued_at, issue_day, last_day, code_digest)
VALUES (gen_random_uuid(), :ticket, 1, 'cash', 50,
    '[{{{{"tier": 7, "cents": 50, "extra": false}}}}]', '', 1, 1, clock_timestamp(),
    current_date, current_date, uuid_send(gen_random_uuid()));
{_TRANSFER.format("promotrot.award")}
\\endif
COMMIT;
"""


class Plays:
    """Terminals that buy a play, reveal it, and buy the next, as fast as they are answered."""

    def __init__(self, emissions: Sequence[Emission], points: Sequence[factories.Point]) -> None:
        self._emissions = emissions
        self._headers = [
            {"Authorization": f"Terminal {p.token}", "X-Operator-Session": p.session_token}
            for p in points
        ]
        self._playing: dict[int, uuid.UUID] = {}

    def request(self, number: int) -> bytes:
        headers = self._headers[number]
        bought = self._playing.pop(number, None)
        if bought is not None:
            return client.post(f"{PATH}/{bought}/acts", b'{"number":1,"act":"reveal"}', headers)
        ident = self._playing[number] = uuid.uuid4()
        emission = self._emissions[number % len(self._emissions)]
        body = {"uuid": str(ident), "emission": emission.pk, "price_cents": emission.price_cents}
        return client.post(PATH, json.dumps(body).encode(), headers)


def _per_s(stack: Stack, plays: Plays, seconds: float, loads: list[client.Load]) -> float:
    """Complete plays a second. Every answer must be 201: anything else is an error of the run."""
    load = client.run(
        stack.base_url, connections=CONNECTIONS, seconds=seconds, request=plays.request
    )
    if set(load.statuses) != {201}:
        raise RuntimeError(f"plays were refused: {dict(load.statuses)}")
    loads.append(load)
    return load.per_s(201) / REQUESTS


@contextmanager
def _server(stack: Stack, settings: dict[str, str]) -> Iterator[None]:
    """Settings of the server, for running sessions too; reset afterwards."""
    if stack.postgres is None:
        raise RuntimeError("the play benchmark sets the server up and needs its own")
    with psycopg.connect(stack.postgres.url(SUPERUSER), autocommit=True) as session:
        for name, value in settings.items():
            session.execute(f"ALTER SYSTEM SET {name} = {value}")
        session.execute("SELECT pg_reload_conf()")
        try:
            yield
        finally:
            for name in settings:
                session.execute(f"ALTER SYSTEM RESET {name}")
            session.execute("SELECT pg_reload_conf()")


def _script(folder: Path, emission: Emission) -> Path:
    winners = sum(tier.count or 0 for tier in emission.tiers.all())
    script = folder / "raw_play.sql"
    script.write_text(_RAW.format(tickets=emission.tickets, winners=winners))
    return script


def measure(stack: Stack, *, pairs: int, seconds: float) -> dict[str, float]:
    """The keys `play.*`."""
    for table, unique in _TABLES.items():
        raw.copy(table, unique)
    points = [factories.point() for _ in range(CONNECTIONS)]
    game = emitting.approved(emitting.document(GAME))
    emissions = [emitting.opened(game) for _ in range(CONNECTIONS)]
    script, owner_url = _script(stack.folder, emissions[0]), stack.environment["DATABASE_OWNER_URL"]
    one, many = Plays(emissions[:1], points), Plays(emissions, points)
    loads: list[client.Load] = []
    rest: list[client.Load] = []
    measured = interleave(
        lambda: raw.per_s(script, owner_url, seconds),
        lambda: _per_s(stack, one, seconds, loads),
        pairs=pairs,
    )
    shared = {}
    for name, settings in (("fast_disk", {}), ("slow_disk", SLOW_DISK)):
        with _server(stack, settings):
            shared[name] = interleave(
                lambda: _per_s(stack, many, seconds, rest),
                lambda: _per_s(stack, one, seconds, rest),
                pairs=pairs,
            ).ratio
    latencies = [each for load in loads[1:] for each in load.latencies_ms]
    return {
        "play.requests": float(REQUESTS),
        "play.raw_per_s": sorted(measured.baseline)[pairs // 2],
        "play.http_per_s": sorted(measured.ours)[pairs // 2],
        "play.ratio": measured.ratio,
        "play.p50_ms": percentile(latencies, 0.50),
        "play.p99_ms": percentile(latencies, 0.99),
        "play.one_emission_fast_disk_ratio": shared["fast_disk"],
        "play.one_emission_slow_disk_ratio": shared["slow_disk"],
        "play.one_emission_ratio": min(shared.values()),
    }
