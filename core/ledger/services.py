"""Opening accounts, posting transfers, and reading balances."""

import dataclasses
import uuid
from collections.abc import Iterable, Sequence

from django.db import connection

from core.database import clock
from core.kernel.errors import InvariantBroken
from core.ledger.models import Account, Transfer


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
    """An account of something owned or owed to the organiser: a debit balance."""
    return AccountCode(code, Account.Side.DEBIT)


def liability(code: str) -> AccountCode:
    """An account of money owed or held for others, or earned: a credit balance."""
    return AccountCode(code, Account.Side.CREDIT)


def premises_account(premises_id: int) -> AccountCode:
    """What a premises has taken for the organiser and not yet handed over or paid out."""
    return asset(f"premises:{premises_id}")


def account_open(wanted: Iterable[AccountCode]) -> dict[str, Account]:
    """The accounts by code; those that do not exist yet are opened.

    Raises LedgerUnbalanced for an account that stands on the other side.
    """
    codes = {account.code: account for account in wanted}
    found = {a.code: a for a in Account.objects.filter(code__in=codes)}
    missing = [account for code, account in codes.items() if code not in found]
    if missing:
        now = clock.now()
        Account.objects.bulk_create(
            [Account(code=c.code, side=c.side, opened_at=now) for c in missing],
            ignore_conflicts=True,
        )
        found = {a.code: a for a in Account.objects.filter(code__in=codes)}
    for code, account in found.items():
        if account.side != codes[code].side:
            raise LedgerUnbalanced("An account stands on the other side.", account=code)
    return found


def post(*, reference: uuid.UUID, lines: Sequence[Line]) -> int:
    """Post one act's transfers, numbered from 0; how many. Call inside the act's transaction.

    Raises django.db.IntegrityError when the reference has been posted before.
    """
    real = [line for line in lines if line.amount_cents]
    accounts = account_open(account for line in real for account in (line.debit, line.credit))
    now = clock.now()
    Transfer.objects.bulk_create(
        [
            Transfer(
                reference=reference,
                line=number,
                kind=line.kind,
                at=now,
                debit=accounts[line.debit.code],
                credit=accounts[line.credit.code],
                amount_cents=line.amount_cents,
            )
            for number, line in enumerate(real)
        ]
    )
    return len(real)


def post_reversal(*, reference: uuid.UUID, of: uuid.UUID, kind: str) -> int:
    """Post the mirror of every transfer of the act `of`, under a reference of its own."""
    now = clock.now()
    mirrored = [
        Transfer(
            reference=reference,
            line=t.line,
            kind=kind,
            debit_id=t.credit_id,
            credit_id=t.debit_id,
            amount_cents=t.amount_cents,
            at=now,
        )
        for t in Transfer.objects.filter(reference=of).order_by("line")
    ]
    Transfer.objects.bulk_create(mirrored)
    return len(mirrored)


_BALANCES = """
SELECT a.code, a.side, coalesce(d.cents, 0), coalesce(c.cents, 0)
  FROM ledger_account a
  LEFT JOIN (SELECT debit_id AS id, sum(amount_cents)::bigint AS cents FROM ledger_transfer
              {where_debit} GROUP BY 1) d ON d.id = a.id
  LEFT JOIN (SELECT credit_id AS id, sum(amount_cents)::bigint AS cents FROM ledger_transfer
              {where_credit} GROUP BY 1) c ON c.id = a.id
 {where} ORDER BY a.code
"""


def balances(*, prefix: str = "") -> list[Balance]:
    """The balances of all accounts whose code starts with `prefix`, by code."""
    if not prefix:
        query, parameters = _BALANCES.format(where_debit="", where_credit="", where=""), []
    else:
        inner = "WHERE {0} IN (SELECT id FROM ledger_account WHERE starts_with(code, %s))"
        query = _BALANCES.format(
            where_debit=inner.format("debit_id"),
            where_credit=inner.format("credit_id"),
            where="WHERE starts_with(a.code, %s)",
        )
        parameters = [prefix] * 3
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return [Balance(*row) for row in cursor.fetchall()]


def balance_cents(account: AccountCode) -> int:
    """The balance of one account on its normal side; zero if it was never used."""
    pk = Account.objects.filter(code=account.code).values_list("pk", flat=True).first()
    with connection.cursor() as cursor:
        # The account is a constant of the query, so that several processes may share the sum.
        cursor.execute(
            "SELECT coalesce(sum(CASE debit_id WHEN %s THEN amount_cents ELSE -amount_cents END),"
            " 0) FROM ledger_transfer WHERE debit_id = %s OR credit_id = %s",
            [pk, pk, pk],
        )
        difference = int(cursor.fetchone()[0])
    return difference if account.side == Account.Side.DEBIT else -difference


def need_balance(account: AccountCode, cents: int) -> None:
    """Raise LedgerUnbalanced unless the account holds exactly `cents`."""
    held = balance_cents(account)
    if held != cents:
        raise LedgerUnbalanced(account=account.code, held_cents=held, expected_cents=cents)
