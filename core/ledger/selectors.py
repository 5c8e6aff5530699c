"""Read balances, transfers and the trial balance."""

import dataclasses
import datetime
import uuid

from django.db.models import Q, QuerySet

from core.database.reading.asking import fetch_row
from core.kernel.days import day_bounds
from core.kernel.errors import NotFound
from core.ledger import openings, powers
from core.ledger.models import Account, Transfer
from core.ledger.services import Balance, balances
from core.staff.actor import StaffActor


class AccountUnknown(NotFound):
    code = "account_unknown"
    message = "There is no such account."


@dataclasses.dataclass(frozen=True, slots=True)
class TrialBalance:
    """Sums over all accounts at one instant, in cents. The books agree when the two sums are equal.

    `debit_cents` adds the balances that stand on the debit side, `credit_cents` those on the credit
    side.
    """

    accounts: int
    transfers: int
    debit_cents: int
    credit_cents: int

    @property
    def difference_cents(self) -> int:
        return self.debit_cents - self.credit_cents


_TRIAL = """
WITH standing AS (
    SELECT sum(cents) AS cents, sum(transfers) AS n FROM ledger_standing GROUP BY account_id)
SELECT (SELECT count(*) FROM ledger_account), coalesce(sum(n) / 2, 0)::bigint,
       coalesce(sum(cents) FILTER (WHERE cents > 0), 0)::bigint,
       coalesce(-sum(cents) FILTER (WHERE cents < 0), 0)::bigint
  FROM standing
"""


def account_balances(
    *,
    by: StaffActor,
    prefix: str,
    after: str | None,
    limit: int,
    day: datetime.date | None = None,
) -> list[Balance]:
    """Return at most `limit` balances by code: of codes that start with `prefix` and follow
    `after`; now, or at the end of a day.

    Raises PowerMissing, LedgerArchived.
    """
    by.need(powers.READ)
    if day is None:
        return balances(prefix=prefix, after=after, limit=limit)
    until = day_bounds(day)[1]
    rows = openings.page_before(until, prefix=prefix, after=after, limit=limit)
    return [Balance(*row) for row in rows]


def transfers(
    *, by: StaffActor, account: str = "", reference: uuid.UUID | None = None, kind: str = ""
) -> QuerySet[Transfer]:
    """Return transfers, filtered by account, reference and kind where given.

    Raises PowerMissing, AccountUnknown.
    """
    by.need(powers.READ)
    rows = Transfer.objects.select_related("debit", "credit")
    if account:
        party = Account.objects.filter(code=account).first()
        if party is None:
            raise AccountUnknown(account=account)
        rows = rows.filter(Q(debit=party) | Q(credit=party))
    if reference:
        rows = rows.filter(reference=reference)
    return rows.filter(kind=kind) if kind else rows


def trial_balance(*, by: StaffActor) -> TrialBalance:
    """Return the trial balance of this instant. Raises PowerMissing."""
    by.need(powers.READ)
    return trial()


def trial() -> TrialBalance:
    """Return the trial balance of this instant. Callers have checked the power."""
    return TrialBalance(*fetch_row(_TRIAL))
