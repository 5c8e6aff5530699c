"""Begin balances with an opening: the sum of each account up to a given transfer.

An opening is written when two persons retire a month (`core.periods.archive`). It ends with the
last transfer before the first one of a later day, so it has no transfer of a later day, and every
transfer after it counts whatever its time. A present balance is the newest opening plus the
transfers after it (the view `ledger_standing`). The balance at an instant is the last opening
before that instant plus the transfers between (docs/adr/0047).
"""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass

from django.db import connection
from django.db.models import Max

from core.database.reading.asking import fetch_all
from core.kernel.canonical import Json, canonical_sha256
from core.kernel.errors import Conflict
from core.ledger.blocks import ACCOUNTS
from core.ledger.models import OpeningBalance

_MOVED = """
SELECT a.code, m.debit_cents, m.credit_cents, m.transfers
  FROM ledger_account a JOIN (
    SELECT account_id, coalesce(sum(cents) FILTER (WHERE cents > 0), 0)::bigint AS debit_cents,
           coalesce(-sum(cents) FILTER (WHERE cents < 0), 0)::bigint AS credit_cents,
           count(*) AS transfers
      FROM ledger_entry WHERE transfer_id > %(after)s AND transfer_id <= %(up_to)s
     GROUP BY 1) m ON m.account_id = a.id
"""
_WRITE = f"""
WITH summed AS MATERIALIZED (
    SELECT account_id, sum(debit_cents) AS debit_cents, sum(credit_cents) AS credit_cents,
           sum(transfers) AS transfers
      FROM (SELECT account_id, debit_cents, credit_cents, transfers
              FROM ledger_opening WHERE up_to = %(after)s
             UNION ALL
            SELECT account_id, greatest(cents, 0), greatest(-cents, 0), 1 FROM ledger_entry
             WHERE transfer_id > %(after)s AND transfer_id <= %(up_to)s) e
     GROUP BY 1)
INSERT INTO ledger_openingbalance
       (block, up_to, ends_at, debits_cents, credits_cents, transfers)
SELECT b.block, %(up_to)s, %(ends_at)s, array_agg(coalesce(s.debit_cents, 0) ORDER BY p.position),
       array_agg(coalesce(s.credit_cents, 0) ORDER BY p.position),
       array_agg(coalesce(s.transfers, 0) ORDER BY p.position)
  FROM (SELECT DISTINCT account_id / {ACCOUNTS} AS block FROM summed) b
 CROSS JOIN generate_series(0, {ACCOUNTS - 1}) p(position)
  LEFT JOIN summed s ON s.account_id = b.block * {ACCOUNTS} + p.position
 GROUP BY 1 ORDER BY 1
"""
_BETWEEN = """
SELECT a.code, coalesce(n.debit_cents, 0) - coalesce(o.debit_cents, 0),
       coalesce(n.credit_cents, 0) - coalesce(o.credit_cents, 0),
       coalesce(n.transfers, 0) - coalesce(o.transfers, 0)
  FROM (SELECT * FROM ledger_opening WHERE up_to = %(up_to)s) n
  FULL JOIN (SELECT * FROM ledger_opening WHERE up_to = %(after)s) o
    ON o.account_id = n.account_id
  JOIN ledger_account a ON a.id = coalesce(n.account_id, o.account_id)
"""
_BEFORE = """
WITH opened AS MATERIALIZED (
    SELECT coalesce(max(up_to), 0) AS up_to FROM ledger_openingbalance WHERE ends_at <= %s)
SELECT a.id, a.code, a.side, coalesce(sum(e.cents), 0)::bigint
  FROM ledger_account a LEFT JOIN (
    SELECT account_id, debit_cents - credit_cents AS cents
      FROM ledger_opening WHERE up_to = (SELECT up_to FROM opened)
     UNION ALL
    SELECT account_id, cents FROM ledger_entry
     WHERE transfer_id > (SELECT up_to FROM opened) AND at < %s) e ON e.account_id = a.id
 GROUP BY a.id ORDER BY a.code
"""


class LedgerArchived(Conflict):
    """`data["until"]` is the instant from which on the ledger can tell."""

    code = "ledger_archived"
    message = "The transfers of that time are in the archive of their month."


_PAGE_BEFORE = """
WITH opened AS MATERIALIZED (
    SELECT coalesce(max(up_to), 0) AS up_to FROM ledger_openingbalance WHERE ends_at <= %(until)s),
wanted AS MATERIALIZED (
    SELECT id, code, side FROM ledger_account
     WHERE starts_with(code, %(prefix)s) AND (%(after)s::text IS NULL OR code > %(after)s::text)
     ORDER BY code LIMIT %(limit)s)
SELECT w.code, w.side, coalesce(sum(e.debit_cents), 0)::bigint,
       coalesce(sum(e.credit_cents), 0)::bigint
  FROM wanted w LEFT JOIN LATERAL (
    SELECT debit_cents, credit_cents FROM ledger_opening
     WHERE account_id = w.id AND up_to = (SELECT up_to FROM opened)
     UNION ALL
    SELECT greatest(cents, 0), greatest(-cents, 0) FROM ledger_entry
     WHERE account_id = w.id AND transfer_id + 0 > (SELECT up_to FROM opened)
       AND at < %(until)s) e ON true
 GROUP BY w.code, w.side ORDER BY w.code
"""


@dataclass(frozen=True, slots=True)
class Sums:
    """The sum that some transfers add to each side of an account, in cents, and their number."""

    debit_cents: int
    credit_cents: int
    transfers: int


def newest() -> int:
    """Return the last transfer of the newest opening; 0 if there is none."""
    return OpeningBalance.objects.aggregate(up_to=Max("up_to"))["up_to"] or 0


def ends_at() -> datetime.datetime | None:
    """Return the end of the last month whose transfers are retired; None if there is none."""
    by_transfer = OpeningBalance.objects.order_by("-up_to")  # an index has the newest
    return by_transfer.values_list("ends_at", flat=True).first()


def need_live(instant: datetime.datetime) -> None:
    """Raise LedgerArchived if transfers of that instant or later have left with their month."""
    until = ends_at()
    if until is not None and instant < until:
        raise LedgerArchived(until=until.isoformat())


def opened_cents(up_to: int) -> dict[int, int]:
    """Return the debit balances of an opening in cents, by account id."""
    return {
        account: debit - credit
        for row in OpeningBalance.objects.filter(up_to=up_to)
        for account, (debit, credit, _) in row.by_account().items()
    }


def moved(after: int, up_to: int) -> dict[str, Sums]:
    """Return what the transfers after one, up to another, add to each account, by its code."""
    return _by_code(_MOVED, after, up_to)


def between(after: int, up_to: int) -> dict[str, Sums]:
    """Return by code what an opening has more than the one before it; `after` 0 is none."""
    sums = _by_code(_BETWEEN, after, up_to)
    return {code: each for code, each in sums.items() if each != Sums(0, 0, 0)}


def _by_code(query: str, after: int, up_to: int) -> dict[str, Sums]:
    return {code: Sums(*sums) for code, *sums in fetch_all(query, {"after": after, "up_to": up_to})}


def document(after: int, up_to: int, sums: Mapping[str, Sums]) -> dict[str, Json]:
    """Return what is published of an opening: which transfers it adds to the one before, and the
    digest of what these add to each account (docs/proofs/retired.md).
    """
    rows: list[Json] = [
        [code, each.debit_cents, each.credit_cents, each.transfers]
        for code, each in sorted(sums.items())
    ]
    return {
        "first_row": after + 1,
        "last_row": up_to,
        "accounts": len(rows),
        "sha256": canonical_sha256(rows).hex(),
    }


def opening_make(*, after: int, up_to: int, ends_at: datetime.datetime) -> None:
    """Write the opening up to a transfer: the one up to `after`, with the transfers since.

    The database refuses one without a retirement of its month.
    """
    with connection.cursor() as cursor:
        cursor.execute(_WRITE, {"after": after, "up_to": up_to, "ends_at": ends_at})


def balances_before(instant: datetime.datetime) -> list[tuple[int, str, str, int]]:
    """Return id, code and side of every account, by code, and its debit balance in cents by all
    transfers before an instant.

    It begins with the last opening that ends by then. Raises LedgerArchived.
    """
    need_live(instant)
    return fetch_all(_BEFORE, [instant, instant])


def page_before(
    until: datetime.datetime, *, prefix: str, after: str | None, limit: int
) -> list[tuple[str, str, int, int]]:
    """Return code, side, and the sums in cents on both sides by all transfers before an instant, of
    at most `limit` accounts: of codes that start with `prefix` and follow `after`.

    It begins with the last opening that ends by then. Raises LedgerArchived.
    """
    need_live(until)
    wanted = {"until": until, "prefix": prefix, "after": after, "limit": limit}
    return fetch_all(_PAGE_BEFORE, wanted)
