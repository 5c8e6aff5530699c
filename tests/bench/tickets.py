"""Contests filled with many tickets, for sealing, settling, lapsing and auditing.

Tickets follow the real bet shares. The owner loads them into the real tables with the transfers of
their sales: secondary indexes, unique constraints and foreign keys are taken off, the rows inserted
as sets, and everything put back as it was, so that the database has checked every row.
"""

import secrets
import struct
from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import prod
from random import Random

from django.conf import settings
from django.db import connection, connections

from core.kernel import codes
from core.ledger.services import account_open, premises_account
from lototrot.engine.races import Race
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket
from lototrot.sample import facts, players
from lototrot.services.contest.code_secrets import secret_of
from tests.bench.store import Store, owner_execute
from tests.support import factories, rounds

FULL = {"multiple": 1_400_000, "single": 10_000_000}
"""Tickets of each kind in a run of full size."""
WINNERS = (6, 4, 5, 8, 4, 1, 1)
"""With these results about a third of the multiple tickets wins something."""
SEED = 20060305
_MASKS = {"multiple": players.multiple_masks, "single": players.single_masks}
_ROWS_AT_ONCE = 20_000

_STAGE = "CREATE UNLOGGED TABLE IF NOT EXISTS bench_masks (bets integer, {})"
_TICKETS = """
INSERT INTO lototrot_ticket (uuid, contest_id, premises_id, terminal_id, operator_id, sold_at, bets,
    quick_legs, {legs}, amount_cents, code_digest, request_digest, code_commitment)
SELECT md5(%(contest)s || ' ' || n)::uuid, %(contest)s, %(premises)s, %(terminal)s, %(operator)s,
       %(at)s, bets, 0, {legs}, bets * %(price)s,
       substr(decode(md5(n || ' ' || %(contest)s), 'hex'), 1, 15),
       substr(sha256(int8send(n)), 1, 16), sha256(int8send(-n))
  FROM (SELECT row_number() OVER () AS n, * FROM bench_masks) m
"""
_TRANSFERS = """
INSERT INTO ledger_transfer (reference, line, kind, debit_id, credit_id, amount_cents, at)
SELECT uuid, 0, 'lototrot.sale', %(debit)s, %(credit)s, amount_cents, sold_at
  FROM lototrot_ticket WHERE contest_id = %(contest)s
"""
_TILL = """
UPDATE statements_till SET owed_cents = owed_cents + (
        SELECT sum(amount_cents) FROM lototrot_ticket WHERE contest_id = %(contest)s)
 WHERE account_id = %(debit)s AND terminal_id IS NULL
"""
# Statements that take constraints and indexes off a table and put them back; primary keys stay.
EXTRAS = """
SELECT format('ALTER TABLE %%I DROP CONSTRAINT %%I', conrelid::regclass, conname),
       format('ALTER TABLE %%I ADD CONSTRAINT %%I %%s', conrelid::regclass, conname,
              pg_get_constraintdef(oid))
  FROM pg_constraint WHERE conrelid = %(table)s::regclass AND contype IN ('f', 'u')
UNION ALL
SELECT format('DROP INDEX %%I', indexrelid::regclass), pg_get_indexdef(indexrelid)
  FROM pg_index WHERE indrelid = %(table)s::regclass
   AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
ORDER BY 1
"""


@dataclass(slots=True)
class Filled:
    """A contest with its tickets, and the codes on the paper of some of them."""

    contest: Contest
    codes: list[str]

    @property
    def on_sale(self) -> bool:
        return self.contest.state == Contest.State.OPEN

    def close(self) -> None:
        """Close and seal the contest, and put the results of its races on record."""
        run(self.contest)
        self.contest.refresh_from_db()


def filled(store: Store, kind: str, *, on_sale: bool) -> Filled:
    """Return the filled contest of the kind; load one where none is left as wanted.

    `on_sale` False takes a contest that is closed and sealed, and closes one on sale for it.
    """
    left: Filled | None = store.filled.get(kind)
    if left is None or (on_sale and not left.on_sale):
        shares = facts.load("son-pardo").bet_shares()
        rng = Random(SEED)
        contest = load(kind, _MASKS[kind](rng, shares, store.size.of(FULL[kind])))
        left = store.filled[kind] = Filled(contest, _real_codes(contest, rng, store.size.proofs))
    if not on_sale and left.on_sale:
        left.close()
    return left


def load(name: str, tickets: Iterable[tuple[int, ...]]) -> Contest:
    """Put a contest with rules of its own on sale, with a ticket for each tuple of masks."""
    shares = facts.load("son-pardo").bet_shares()
    rules = replace(rounds.rules(), code=f"bench-{name}-{secrets.token_hex(3)}")
    contest = rounds.contest(rules, [sorted(race) for race in shares], price_cents=50)
    _stage(len(shares), tickets)
    _load(contest, factories.point())
    return contest


def run(contest: Contest) -> None:
    """Close the contest, seal it, and record the results `WINNERS`."""
    shares = facts.load("son-pardo").bet_shares()
    races = [
        Race(tuple(sorted(race)), winners=frozenset({winner}))
        for race, winner in zip(shares, WINNERS, strict=True)
    ]
    rounds.run(contest, races)


def _real_codes(contest: Contest, rng: Random, count: int) -> list[str]:
    """Give some tickets of a contest on sale real codes; return the codes as printed."""
    first, last = (
        contest.tickets.order_by(order).values_list("pk", flat=True)[0] for order in ("pk", "-pk")
    )
    chosen = Ticket.objects.filter(pk__in={rng.randint(first, last) for _ in range(count)})
    printed = []
    with connections["owner"].cursor() as cursor:
        cursor.execute("ALTER TABLE lototrot_ticket DISABLE TRIGGER guard_columns")
        for ticket in chosen:
            secret = secret_of(contest)
            code = codes.issue(
                codes.TICKET, ticket.uuid, secret, settings.CODE_KEYS, day=contest.day
            )
            cursor.execute(
                "UPDATE lototrot_ticket SET code_digest = %s, code_commitment = %s WHERE id = %s",
                [
                    settings.CODE_KEYS.digest(code),
                    settings.CODE_KEYS.commitment(code, ticket.uuid),
                    ticket.pk,
                ],
            )
            printed.append(code.grouped)
        cursor.execute("ALTER TABLE lototrot_ticket ENABLE TRIGGER guard_columns")
    return printed


def _stage(legs: int, tickets: Iterable[tuple[int, ...]]) -> None:
    """Copy the tickets' masks and numbers of bets into the table `bench_masks`."""
    names = [f"leg_{leg}" for leg in range(1, legs + 1)]
    owner_execute(
        _STAGE.format(", ".join(f"{leg} integer" for leg in names)), "TRUNCATE bench_masks"
    )
    row = struct.Struct("!h" + "ii" * (legs + 1))
    fours = (4,) * (legs + 1)
    with (
        connections["owner"].cursor() as cursor,
        cursor.copy("COPY bench_masks FROM STDIN (FORMAT BINARY)") as copy,
    ):
        rows = [b"PGCOPY\n\xff\r\n\0" + struct.pack("!ii", 0, 0)]
        for masks in tickets:
            values = (prod(map(int.bit_count, masks)), *masks)
            rows.append(
                row.pack(legs + 1, *(v for pair in zip(fours, values, strict=True) for v in pair))
            )
            if len(rows) > _ROWS_AT_ONCE:
                copy.write(b"".join(rows))
                rows = []
        copy.write(b"".join(rows) + struct.pack("!h", -1))


def _load(contest: Contest, point: factories.Point) -> None:
    """Insert tickets and transfers from the staged masks, with the tables' extras taken off."""
    place = premises_account(point.premises.pk)
    legs = ", ".join(f"leg_{leg}" for leg in range(1, len(contest.offered_masks) + 1))
    values = {
        "contest": contest.pk,
        "premises": point.premises.pk,
        "terminal": point.terminal.pk,
        "operator": point.operator.pk,
        "at": contest.opened_at,
        "price": contest.price_cents,
        "debit": account_open([place])[place.code].pk,
        "credit": contest.takings_account_id,
    }
    with connections["owner"].cursor() as cursor:
        cursor.execute("ALTER TABLE ledger_transfer DISABLE TRIGGER till_move")
        back = ["ALTER TABLE ledger_transfer ENABLE TRIGGER till_move"]
        for table in ("lototrot_ticket", "ledger_transfer"):
            cursor.execute(EXTRAS, {"table": table})
            for take_off, put_back in cursor.fetchall():
                cursor.execute(take_off)
                back.append(put_back)
        cursor.execute(_TICKETS.format(legs=legs), values)
        cursor.execute(_TRANSFERS, values)
        cursor.execute(_TILL, values)
        for put_back in back:
            cursor.execute(put_back)
    owner_execute(
        "TRUNCATE bench_masks",
        "VACUUM (ANALYZE) lototrot_ticket",
        "VACUUM (ANALYZE) ledger_transfer",
    )
    connection.close()  # its query plans were made without the indexes
