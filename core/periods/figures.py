"""Compute what is published of a period from the rows themselves.

Transfers are digested in blocks of ids, each by the database, so that memory does not grow with
their number. The format is in docs/proofs/periods.md.
"""

import datetime
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import connection

from core.database.reading import progress
from core.database.reading.asking import fetch_all
from core.journal.models import Batch
from core.kernel.canonical import Json, canonical_sha256
from core.kernel.days import day_bounds
from core.ledger.models import Transfer
from core.periods.models import ClosedPeriod
from core.periods.parts import all_parts
from core.statements.balances import transfers_within

FORMAT = "trot-period-1"
BLOCK = 65_536
"""Ids of transfers that one block covers."""
AT_ONCE = 16
"""Blocks that one query reads; between them it tells how far it is."""

_MOMENT = 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'
_TRANSFERS = f"""
SELECT count(*), sum(t.amount_cents)::bigint, sha256(convert_to(string_agg(
         concat_ws('|', t.id, t.reference, t.line, t.kind, d.code, c.code, t.amount_cents,
                   to_char(t.at AT TIME ZONE 'UTC', '{_MOMENT}')), E'\\n' ORDER BY t.id), 'UTF8'))
  FROM ledger_transfer t JOIN ledger_account d ON d.id = t.debit_id
  JOIN ledger_account c ON c.id = t.credit_id
 WHERE t.id > %(after)s AND t.id <= %(up_to)s AND t.at >= %(since)s AND t.at < %(until)s
 GROUP BY t.id / %(block)s ORDER BY t.id / %(block)s
"""
_MOVED = """
SELECT account_id, sum(cents)::bigint FROM ledger_entry
 WHERE transfer_id > %(after)s AND transfer_id <= %(up_to)s AND at >= %(since)s AND at < %(until)s
 GROUP BY 1
"""
_NEXT = "SELECT min(id) FROM ledger_transfer WHERE id > %s AND id <= %s"
_CODES = "SELECT id, code FROM ledger_account WHERE id = ANY (%s::bigint[])"
BEGINNING = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


@dataclass(frozen=True, slots=True)
class Figures:
    """The published document of a period, and what the period keeps for the next one.

    `balances` are in cents by account id, positive if debit, without those of 0.
    """

    document: dict[str, Json]
    balances: dict[int, int]
    last_batch: int

    @property
    def digest(self) -> str:
        return canonical_sha256(self.document).hex()


def figures(
    number: int,
    first: datetime.date,
    last: datetime.date,
    *,
    before: ClosedPeriod | None,
    closed: ClosedPeriod | None = None,
    retired: bool = False,
) -> Figures:
    """Compute a period from its rows. `closed` is the period itself, if it is closed already.

    The first period of all begins with the first transfer. Of a `retired` period the transfers have
    left: their figures are taken as published, and the balances as stored.
    """
    since = day_bounds(first)[0] if before else BEGINNING
    until = day_bounds(last)[1]
    after, up_to = transfers_within(since, until)
    span = {"after": after, "up_to": up_to, "since": since, "until": until}
    if closed is not None and retired:
        transfers = closed.document["transfers"]
        balances = closed.cents_by_account()
    else:
        transfers, balances = _transfers(span), _balances(before, span)
    batch = _batch(until, closed.last_batch if closed else None)
    document: dict[str, Json] = {
        "format": FORMAT,
        "number": number,
        "first_day": first.isoformat(),
        "last_day": last.isoformat(),
        "transfers": transfers,
        "balances": _balances_digest(balances),
        "journal": {
            "batch": batch.number if batch else 0,
            "digest": bytes(batch.digest).hex() if batch else "",
        },
        "parts": {name: part.figures(first, last) for name, part in all_parts().items()},
    }
    return Figures(document, balances, batch.number if batch else 0)


def _transfers(span: Mapping[str, Any]) -> Json:
    count, cents, digest = 0, 0, hashlib.sha256()
    done, last = span["after"], _last(span)
    with connection.cursor() as cursor:
        while (begin := _next(cursor, done, last)) is not None:
            # Each query ends with a block, so that none is digested in two parts.
            up_to = min(last, (begin // BLOCK + AT_ONCE) * BLOCK - 1)
            cursor.execute(_TRANSFERS, {**span, "after": done, "up_to": up_to, "block": BLOCK})
            for in_block, block_cents, block_digest in cursor:
                count, cents = count + in_block, cents + block_cents
                digest.update(bytes(block_digest))
            done = up_to
            progress.tell(done - span["after"], last - span["after"])
    return {"count": count, "cents": cents, "sha256": digest.hexdigest()}


def _last(span: Mapping[str, Any]) -> int:
    """Return the newest transfer of the span; where the span ends is not always a transfer."""
    within = Transfer.objects.filter(pk__lte=span["up_to"])
    return within.order_by("-pk").values_list("pk", flat=True).first() or 0


def _next(cursor: Any, after: int, last: int) -> int | None:
    """Return the first transfer after one, up to the last; None if there is none."""
    cursor.execute(_NEXT, [after, last])
    transfer_id: int | None = cursor.fetchone()[0]
    return transfer_id


def _balances(before: ClosedPeriod | None, span: Mapping[str, Any]) -> dict[int, int]:
    cents: dict[int, int] = {}
    if before is not None:
        cents = before.cents_by_account()
    for account, moved in fetch_all(_MOVED, span):
        cents[account] = cents.get(account, 0) + moved
    return {account: held for account, held in sorted(cents.items()) if held}


def _balances_digest(balances: Mapping[int, int]) -> Json:
    """Return the digest of the balances by code: what premises owe is not for the public."""
    codes: dict[int, str] = dict(fetch_all(_CODES, [list(balances)]))
    by_code: list[Json] = [
        [code, cents]
        for code, cents in sorted((codes[account], cents) for account, cents in balances.items())
    ]
    return {"accounts": len(by_code), "sha256": canonical_sha256(by_code).hex()}


def _batch(until: datetime.datetime, number: int | None) -> Batch | None:
    """Return the last batch sealed in the period, or the one that is on record as such."""
    if number is not None:
        return Batch.objects.filter(pk=number).first()
    return Batch.objects.filter(sealed_at__lt=until).order_by("-sealed_at", "-number").first()
