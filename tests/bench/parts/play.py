"""Complete plays per second over HTTP, against the bare writes of the same rows.

A complete play of a pre-drawn ticket is two requests: the sale, and the act that reveals, awards
and issues the voucher. The baseline writes all its rows in one transaction: ticket, transfer, act,
end and, for as many plays as win, voucher and transfer.
"""

import json
import secrets
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from promotrot.models.emission import Emission
from tests.bench import load, raw
from tests.bench.load import Load
from tests.bench.pairs import interleave, percentile
from tests.bench.raw import CONNECTIONS
from tests.bench.store import Figures, Store, credentials, terminals
from tests.support import emitting, factories
from tests.support.factories.request_uuids import SystemClock

REQUESTS = 2
GAME = "lap-of-honour"
PATH = "/api/v1/promotrot/plays"
SLOW_DISK = {"commit_delay": "2000", "commit_siblings": "0"}
"""Every commit waits 2 ms, as on a slow disk."""
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
INSERT INTO raw_promotrot_voucher (uuid, emission_id, ticket_id, number, nature, amount_cents,
    prizes, thing, premises_id, terminal_id, issued_at, issue_day, last_day, code_digest)
VALUES (gen_random_uuid(), 1, :ticket, 1, 'cash', 50,
    '[{{{{"tier": 7, "cents": 50, "extra": false}}}}]', '', 1, 1, clock_timestamp(),
    current_date, current_date, uuid_send(gen_random_uuid()));
{_TRANSFER.format("promotrot.award")}
\\endif
COMMIT;
"""


class Plays:
    """Requests of terminals that buy a play, reveal it, and buy the next."""

    def __init__(self, emissions: Sequence[Emission], points: list[factories.Point]) -> None:
        self._emissions = emissions
        self._clock = SystemClock()
        self._headers = credentials(points)
        self._playing: dict[int, uuid.UUID] = {}

    def request(self, number: int) -> bytes:
        """Return the next request of the terminal with that number."""
        headers = self._headers[number]
        bought = self._playing.pop(number, None)
        if bought is not None:
            return load.post(f"{PATH}/{bought}/acts", b'{"number":1,"act":"reveal"}', headers)
        ident = self._playing[number] = self._clock.request_uuid()
        emission = self._emissions[number % len(self._emissions)]
        body = {"uuid": str(ident), "emission": emission.pk, "price_cents": emission.price_cents}
        return load.post(PATH, json.dumps(body).encode(), headers)


@contextmanager
def _server_settings(store: Store, settings: dict[str, str]) -> Iterator[None]:
    """Change settings of the running server, also for open sessions, and reset them at the end."""
    with store.superuser() as session:
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


def measure(store: Store) -> Figures:
    """Return the figures `play.*`. Any answer but 201 is an error of the run.

    `play.one_emission_*_ratio`: all terminals play one emission, against each its own.
    """
    for table, unique in _TABLES.items():
        raw.copy(table, unique)
    points, pairs = terminals(), store.size.pairs
    game = emitting.approved(emitting.document(GAME, code=f"{GAME}-{secrets.token_hex(3)}"))
    emissions = [emitting.opened(game) for _ in range(CONNECTIONS)]
    script = _script(store.stack.folder, emissions[0])
    one, many = Plays(emissions[:1], points), Plays(emissions, points)
    loads: list[Load] = []

    def plays_per_s(plays: Plays) -> float:
        loads.append(store.load(plays.request, url=store.stack.play_url))
        return loads[-1].per_s(201) / REQUESTS

    measured = interleave(lambda: raw.per_s(script, store), lambda: plays_per_s(one), pairs=pairs)
    latencies = [latency for run in loads[1:] for latency in run.latencies_ms]
    ratios = {}
    for disk, settings in (("fast_disk", {}), ("slow_disk", SLOW_DISK)):
        with _server_settings(store, settings):
            ratios[disk] = interleave(
                lambda: plays_per_s(many), lambda: plays_per_s(one), pairs=pairs
            ).ratio
    return {
        "play.requests": float(REQUESTS),
        "play.raw_per_s": measured.baseline_median,
        "play.http_per_s": measured.ours_median,
        "play.ratio": measured.ratio,
        "play.p50_ms": percentile(latencies, 0.50),
        "play.p99_ms": percentile(latencies, 0.99),
        "play.one_emission_fast_disk_ratio": ratios["fast_disk"],
        "play.one_emission_slow_disk_ratio": ratios["slow_disk"],
        "play.one_emission_ratio": min(ratios.values()),
    }
