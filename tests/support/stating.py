"""Make weeks of premises' accounts for tests: two days, and a rate of commission."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

from core.database import clock
from core.kernel.days import add_days, natural_day
from core.nights.nightly import lapse
from core.staff import two_persons
from core.staff.models import Proposal
from core.staff.powers import Role
from core.statements import guarantee, services
from core.statements.balances import balances_until, mark_make, premises_accounts
from core.statements.models import Statement
from tests.support import factories

MONDAY = date(2030, 3, 4)
SUNDAY = date(2030, 3, 10)


def at(day: date, hour: int = 12) -> datetime:
    """Move the clock to an hour of a day, in UTC."""
    return factories.time_to(datetime(day.year, day.month, day.day, hour, tzinfo=UTC))


def days_end(days: int) -> None:
    """Let days pass, and do what their nights do before a month can be closed."""
    mark_make()
    factories.time_pass(days=days)
    yesterday = add_days(natural_day(clock.now()), -1)
    lapse(yesterday)
    mark_make()
    services.statements_issue(until=yesterday)
    factories.time_pass(hours=1)


def debts_now(accounts: Mapping[int, int] | None = None) -> dict[int, int]:
    """Return what premises owe by their id: all, or those of the accounts given."""
    accounts = premises_accounts() if accounts is None else accounts
    cents = balances_until(clock.now() + timedelta(seconds=1), accounts)
    return {place: cents.get(account, 0) for account, place in accounts.items()}


def rate(by: Any, percent: str = "6", since: date = MONDAY, **more: Any) -> None:
    """Set a rate of commission by two persons, for all premises unless one is named."""
    proposal = services.commission_rate_propose(
        by=by,
        game=more.pop("game", "lototrot"),
        premises=more.pop("premises", None),
        percent=percent,
        in_force_from=since,
        reference="Contract",
    )
    two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.ORGANISER))


def limited(by: Any, premises: str, cents: int, since: datetime | None = None) -> None:
    """Set the guarantee limit of premises by two persons."""
    proposal = guarantee.guarantee_limit_propose(
        by=by, premises=premises, limit_cents=cents, reference="Aval", in_force_from=since
    )
    two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.ORGANISER))


def remitted(by: Any, statement: Statement, cents: int, on: date, reference: str = "TRF") -> None:
    """Record a payment of a statement, by two persons where it needs them."""
    outcome = services.statement_settle(
        by=by, statement=statement.uuid, amount_cents=cents, paid_on=on, reference=reference
    )
    if isinstance(outcome, Proposal):
        two_persons.confirm(proposal=outcome.uuid, by=factories.staff(Role.ORGANISER))
