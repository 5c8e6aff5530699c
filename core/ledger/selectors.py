"""Reading the books: balances, transfers, the trial balance."""

import dataclasses
import uuid

from django.db import connection
from django.db.models import Q, QuerySet

from core.kernel.errors import NotFound
from core.ledger import powers
from core.ledger.models import Account, Transfer
from core.ledger.services import Balance, balances
from core.staff.actor import StaffActor


class AccountUnknown(NotFound):
    code = "account_unknown"
    message = "There is no such account."


@dataclasses.dataclass(frozen=True, slots=True)
class TrialBalance:
    """Sums over all accounts, in cents, of one instant; the books agree when the two are equal.

    `debit_cents` adds the balances of accounts that stand on their debit side, `credit_cents` of
    those on their credit side.
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
    SELECT sum(cents) AS cents, count(*) FILTER (WHERE cents > 0) AS n
      FROM ledger_entry GROUP BY account_id)
SELECT (SELECT count(*) FROM ledger_account), coalesce(sum(n), 0)::bigint,
       coalesce(sum(cents) FILTER (WHERE cents > 0), 0)::bigint,
       coalesce(-sum(cents) FILTER (WHERE cents < 0), 0)::bigint
  FROM standing
"""


def account_balances(
    *, by: StaffActor, prefix: str, after: str | None, limit: int
) -> list[Balance]:
    """Balances by code, of codes that start with `prefix` and come after `after`."""
    by.need(powers.READ)
    return balances(prefix=prefix, after=after, limit=limit)


def transfers(
    *, by: StaffActor, account: str = "", reference: uuid.UUID | None = None, kind: str = ""
) -> QuerySet[Transfer]:
    """Transfers, of one account, act or kind where given. Raises AccountUnknown."""
    by.need(powers.READ)
    found = Transfer.objects.select_related("debit", "credit")
    if account:
        known = Account.objects.filter(code=account).first()
        if known is None:
            raise AccountUnknown(account=account)
        found = found.filter(Q(debit=known) | Q(credit=known))
    if reference:
        found = found.filter(reference=reference)
    return found.filter(kind=kind) if kind else found


def trial_balance(*, by: StaffActor) -> TrialBalance:
    by.need(powers.READ)
    return trial()


def trial() -> TrialBalance:
    """The trial balance of this instant, for whoever has been let in already."""
    with connection.cursor() as cursor:
        cursor.execute(_TRIAL)
        return TrialBalance(*cursor.fetchone())
