"""Open accounts, post transfers, and read balances."""

import dataclasses
import datetime
import uuid
from collections.abc import Iterable, Mapping, Sequence

from core.database import clock
from core.database.reading.asking import fetch_all, fetch_value
from core.kernel.errors import InvariantBroken
from core.ledger.models import Account, Transfer

BATCH = 1_000
"""Rows that one statement writes at most."""

_OPEN = """
INSERT INTO ledger_account (code, side, opened_at)
SELECT code, side, core_now() FROM unnest(%s::text[], %s::text[]) AS missing (code, side)
    ON CONFLICT DO NOTHING RETURNING id, code, side, opened_at
"""


class LedgerUnbalanced(InvariantBroken):
    code = "ledger_unbalanced"
    message = "An account does not hold what it must."


@dataclasses.dataclass(frozen=True, slots=True)
class AccountCode:
    """Name an account by its code and normal side. The account is opened when first used."""

    code: str
    side: Account.Side


@dataclasses.dataclass(frozen=True, slots=True)
class Line:
    """One transfer to post. Lines of zero cents are not posted."""

    kind: str
    debit: AccountCode
    credit: AccountCode
    amount_cents: int


def signed_line(kind: str, debit: AccountCode, credit: AccountCode, cents: int) -> Line:
    """Return a transfer of `cents`; of a negative amount, the transfer the other way round."""
    return Line(kind, debit, credit, cents) if cents >= 0 else Line(kind, credit, debit, -cents)


@dataclasses.dataclass(frozen=True, slots=True)
class Balance:
    """An account's sums, in cents. `cents` is positive on the account's normal side."""

    code: str
    side: str
    debit_cents: int
    credit_cents: int

    @property
    def cents(self) -> int:
        difference = self.debit_cents - self.credit_cents
        return difference if self.side == Account.Side.DEBIT else -difference


def asset(code: str) -> AccountCode:
    """Return an account of something owned by the organiser or owed to it; its normal side is
    debit.
    """
    return AccountCode(code, Account.Side.DEBIT)


def liability(code: str) -> AccountCode:
    """Return an account of money owed, held for others, or earned; its normal side is credit."""
    return AccountCode(code, Account.Side.CREDIT)


def premises_account(premises_id: int) -> AccountCode:
    """Return the account of the money that premises have taken and not yet handed over or paid
    out.
    """
    return asset(f"premises:{premises_id}")


def account_open(accounts: Iterable[AccountCode]) -> dict[str, Account]:
    """Return the accounts by code, and open those that do not exist yet.

    Raises LedgerUnbalanced if an account exists with the other normal side.
    """
    codes = {account.code: account for account in accounts}
    rows = {row.code: row for row in Account.objects.filter(code__in=codes)}
    missing = [account for code, account in codes.items() if code not in rows]
    if missing:
        names, sides = [each.code for each in missing], [each.side.value for each in missing]
        rows |= {row.code: row for row in Account.objects.raw(_OPEN, [names, sides])}
    if len(rows) < len(codes):  # another transaction has opened one of them meanwhile
        rows = {row.code: row for row in Account.objects.filter(code__in=codes)}
    for code, row in rows.items():
        if row.side != codes[code].side:
            raise LedgerUnbalanced("An account has the other normal side.", account=code)
    return rows


def post(
    *, reference: uuid.UUID, lines: Sequence[Line], at: datetime.datetime | None = None
) -> int:
    """Post the transfers of one act, numbered from 0, and return their number.

    Call it inside the act's transaction. `at` is the instant of the act, where its row has one that
    must be the same; otherwise it is now. Raises django.db.IntegrityError if the reference has been
    posted before.
    """
    return post_all({reference: lines}, at)


def post_all(acts: Mapping[uuid.UUID, Sequence[Line]], at: datetime.datetime | None = None) -> int:
    """Post the transfers of acts that one transaction does, by reference, as `post` does for one.

    Return the number of transfers.
    """
    nonzero = {
        reference: [line for line in lines if line.amount_cents]
        for reference, lines in acts.items()
    }
    accounts = account_open(
        account
        for lines in nonzero.values()
        for line in lines
        for account in (line.debit, line.credit)
    )
    at = at or clock.now()
    transfers = [
        Transfer(
            reference=reference,
            line=number,
            kind=line.kind,
            at=at,
            debit=accounts[line.debit.code],
            credit=accounts[line.credit.code],
            amount_cents=line.amount_cents,
        )
        for reference, lines in nonzero.items()
        for number, line in enumerate(lines)
    ]
    Transfer.objects.bulk_create(transfers, batch_size=BATCH)
    return len(transfers)


def post_reversal(*, reference: uuid.UUID, of: uuid.UUID, kind: str) -> int:
    """Post the reverse of every transfer of the act `of`, under the new `reference`.

    Return the number of transfers.
    """
    now = clock.now()
    reversed_transfers = [
        Transfer(
            reference=reference,
            line=transfer.line,
            kind=kind,
            debit_id=transfer.credit_id,
            credit_id=transfer.debit_id,
            amount_cents=transfer.amount_cents,
            at=now,
        )
        for transfer in Transfer.objects.filter(reference=of).order_by("line")
    ]
    Transfer.objects.bulk_create(reversed_transfers)
    return len(reversed_transfers)


# The query for all accounts reads the entries once. That for some accounts uses the index.
_SUMS = """
       SELECT coalesce(sum(debit_cents), 0)::bigint AS debit_cents,
              coalesce(sum(credit_cents), 0)::bigint AS credit_cents
"""
_ALL_BALANCES = f"""
SELECT a.code, a.side, coalesce(e.debit_cents, 0), coalesce(e.credit_cents, 0)
  FROM ledger_account a LEFT JOIN (
{_SUMS}            , account_id FROM ledger_standing GROUP BY account_id) e ON e.account_id = a.id
 ORDER BY a.code
"""
_SOME_BALANCES = f"""
WITH wanted AS MATERIALIZED (
    SELECT id, code, side FROM ledger_account
     WHERE starts_with(code, %(prefix)s) AND (%(after)s::text IS NULL OR code > %(after)s::text)
     ORDER BY code LIMIT %(limit)s)
SELECT w.code, w.side, e.debit_cents, e.credit_cents
  FROM wanted w CROSS JOIN LATERAL (
{_SUMS}         FROM ledger_standing WHERE account_id = w.id) e
 ORDER BY w.code
"""


def balances(
    *, prefix: str = "", after: str | None = None, limit: int | None = None
) -> list[Balance]:
    """Return balances by code: of codes that start with `prefix` and follow `after`."""
    if prefix or after is not None or limit is not None:
        parameters = {"prefix": prefix, "after": after, "limit": limit}
        rows = fetch_all(_SOME_BALANCES, parameters)
    else:
        rows = fetch_all(_ALL_BALANCES)
    return [Balance(*row) for row in rows]


def balance_cents(account: AccountCode) -> int:
    """Return the balance of one account on its normal side; zero if it was never used."""
    pk = Account.objects.filter(code=account.code).values_list("pk", flat=True).first()
    # The account is a constant of the query, so that several processes may share the sum.
    query = "SELECT coalesce(sum(cents), 0) FROM ledger_standing WHERE account_id = %s"
    difference = int(fetch_value(query, [pk]))
    return difference if account.side == Account.Side.DEBIT else -difference


def need_balance(account: AccountCode, cents: int) -> None:
    """Raise LedgerUnbalanced unless the account holds exactly `cents`."""
    held = balance_cents(account)
    if held != cents:
        raise LedgerUnbalanced(account=account.code, held_cents=held, expected_cents=cents)
