"""Read running accounts, statements, rates and limits."""

import datetime
import uuid
from dataclasses import dataclass

from django.db.models import QuerySet

from core.database import clock
from core.kernel.days import add_days, natural_day
from core.ledger import openings
from core.ledger.models import Account
from core.ledger.services import premises_account
from core.premises.access import TerminalActor
from core.premises.models import Premises
from core.premises.services import premises_by_code
from core.staff.actor import StaffActor
from core.statements import powers
from core.statements.balances import movements
from core.statements.columns import Column
from core.statements.guarantee import covers
from core.statements.left import last_left
from core.statements.models import CommissionRate, GuaranteeLimit, Remittance, Statement
from core.statements.services import statement_get


@dataclass(frozen=True, slots=True)
class RunningAccount:
    """The present account of premises, in cents: since the last statement by column, and in total.

    `limit_cents` is 0 if no limit is on record. `left_cents` is what they may still sell before
    they remit. `archived_to` is the last day of the newest statement that left with a month.
    """

    premises: Premises
    since: datetime.date | None
    opening_cents: int
    columns: dict[str, int]
    balance_cents: int
    limit_cents: int
    left_cents: int
    last_statement: Statement | None
    archived_to: datetime.date | None

    @property
    def account(self) -> str:
        """Return the code of the account in the ledger."""
        return premises_account(self.premises.pk).code


def statements(*, by: StaffActor, premises: str = "") -> QuerySet[Statement]:
    """Return the statements of all premises, or of one. Raises PremisesUnknown."""
    by.need(powers.READ)
    rows = Statement.objects.select_related("premises")
    return rows.filter(premises=premises_by_code(premises)) if premises else rows


def statement_one(*, by: StaffActor, ident: uuid.UUID) -> Statement:
    """Return the statement. Raises StatementUnknown, StatementArchived."""
    by.need(powers.READ)
    return statement_get(ident)


def remittances(*, by: StaffActor, statement: uuid.UUID) -> QuerySet[Remittance]:
    by.need(powers.READ)
    return Remittance.objects.filter(statement=statement_get(statement))


def commission_rates(*, by: StaffActor) -> QuerySet[CommissionRate]:
    by.need(powers.READ)
    return CommissionRate.objects.select_related("premises")


def guarantee_limits(*, by: StaffActor, premises: str) -> QuerySet[GuaranteeLimit]:
    by.need(powers.READ)
    rows = GuaranteeLimit.objects.select_related("premises")
    return rows.filter(premises=premises_by_code(premises))


def running_account(*, by: StaffActor, premises: str) -> RunningAccount:
    """Return the present account of the premises. Raises PremisesUnknown."""
    by.need(powers.READ)
    return _running(premises_by_code(premises))


def terminal_account(*, terminal: TerminalActor) -> RunningAccount:
    """Return the account of the terminal's premises, for the people who work there."""
    return _running(Premises.objects.get(pk=terminal.premises_id))


def _running(place: Premises) -> RunningAccount:
    last = Statement.objects.filter(premises=place).order_by("-number").first()
    accounts = dict.fromkeys(
        Account.objects.filter(code=premises_account(place.pk).code).values_list("pk", flat=True),
        place.pk,
    )
    now = clock.now()
    since = add_days(last.week_to, 1) if last else datetime.date(2000, 1, 1)
    columns = dict.fromkeys(map(str, Column), 0)
    if last is None and (ended := openings.ends_at()):  # it had no transfer in a retired month
        since = natural_day(ended)
    for movement in movements(since, natural_day(now), accounts).get(place.pk, []):
        columns[movement.column] += movement.cents
    (cover,) = covers(place.pk)
    return RunningAccount(
        premises=place,
        since=since if last else None,
        opening_cents=last.closing_cents if last else 0,
        columns=columns,
        balance_cents=cover.balance_cents,
        limit_cents=cover.limit_cents,
        left_cents=cover.left_cents,
        last_statement=last,
        archived_to=last_left(place.pk),
    )
