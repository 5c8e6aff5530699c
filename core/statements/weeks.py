"""Read a week of all running accounts from the ledger, to issue and to check statements."""

import datetime
import uuid
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Max, Min, Q, QuerySet

from core.kernel.days import add_days, day_bounds, natural_day
from core.ledger import openings
from core.ledger.models import Transfer
from core.statements import commission, left
from core.statements.balances import Movement, balances_until, movements, premises_accounts
from core.statements.columns import Column
from core.statements.commission import Rates
from core.statements.models import Statement


def ident(premises_id: int, first: datetime.date, payment: int = 0) -> uuid.UUID:
    """Return the UUID of the statement of a week that begins on `first`, or of its nth payment.

    It holds what it names, so no index need keep two apart or find one: the database refuses any
    other (`statements_ident` in `sql/statement.sql`). It begins as derived UUIDs do, and those of
    a week stand beside each other.
    """
    return uuid.UUID(f"{first.toordinal():08x}-{payment:04x}-8000-8000-{premises_id:012x}")


def in_uuid(ident: uuid.UUID, statement: str = "") -> Q:
    """Return the condition on the week and premises that a UUID holds, which an index finds.

    `statement` begins the lookups of a table that names statements.
    """
    try:
        last = datetime.date.fromordinal((ident.int >> 96) + 6)
    except (ValueError, OverflowError):
        return Q(pk__in=())
    return Q((f"{statement}week_to", last), (f"{statement}premises", ident.int & (1 << 48) - 1))


def statement_of(ident: uuid.UUID) -> QuerySet[Statement]:
    """Return the statement with that UUID, found by the week and premises in it; or none."""
    return Statement.objects.filter(in_uuid(ident), uuid=ident)


def archived(ident_of: uuid.UUID, *, payment: bool = False) -> left.StatementArchived | None:
    """Return the refusal that names the archive, if a statement had that UUID and left with a
    month; None if none did.

    With `payment` the UUID is one of a payment, and its statement is looked for. The archive alone
    knows which payments that had.
    """
    try:
        monday = datetime.date.fromordinal(ident_of.int >> 96)
    except (ValueError, OverflowError):
        return None
    premises_id, number = ident_of.int & (1 << 48) - 1, ident_of.int >> 80 & (1 << 16) - 1
    if ident_of != ident(premises_id, monday, number) or bool(number) != payment:
        return None
    return left.archived(ident_of, premises_id, monday)


@dataclass(frozen=True, slots=True)
class Figures:
    """Hold the amounts that a week adds to the debt of premises, in cents, by column of the
    statement.
    """

    columns: dict[str, int]
    lines: list[dict[str, Any]]
    commission: list[dict[str, Any]]
    earned: dict[str, int]

    @property
    def total_cents(self) -> int:
        return sum(self.columns.values())


@dataclass(frozen=True, slots=True)
class Week:
    """The movements from Monday to `sunday`, by premises."""

    sunday: datetime.date
    moved: dict[int, list[Movement]]
    unearned: dict[tuple[str, int], dict[datetime.date, int]]
    rates: Rates = field(default_factory=Rates)

    def figures(self, premises_id: int) -> Figures:
        moved = self.moved.get(premises_id, [])
        columns = dict.fromkeys(map(str, Column), 0)
        by_kind: dict[tuple[str, str, str], list[int]] = {}
        for movement in moved:
            columns[movement.column] += movement.cents
            key = (movement.game, str(movement.column), movement.kind)
            row = by_kind.setdefault(key, [0, 0])
            row[0], row[1] = row[0] + movement.count, row[1] + movement.cents
        commissions = commission.earned(premises_id, moved, self.unearned, self.rates)
        earned: dict[str, int] = {}
        for row_earned in commissions:
            earned[row_earned.game] = earned.get(row_earned.game, 0) + row_earned.cents
        columns[Column.COMMISSION] = -sum(earned.values())
        return Figures(
            columns,
            [
                {
                    "game": game,
                    "column": column,
                    "kind": kind,
                    "count": count,
                    "amount_cents": cents,
                }
                for (game, column, kind), (count, cents) in sorted(by_kind.items())
            ],
            [
                {
                    "game": row_earned.game,
                    "percent": row_earned.percent,
                    "base_cents": row_earned.base_cents,
                    "commission_cents": row_earned.cents,
                }
                for row_earned in commissions
            ],
            earned,
        )


def is_archived(sunday: datetime.date) -> bool:
    """Return whether transfers of the week that ends with that day have left with their month."""
    until = openings.ends_at()
    return until is not None and day_bounds(add_days(sunday, -6))[0] < until


def week(sunday: datetime.date) -> Week:
    """Return the movements of the week that ends with that day. Raises LedgerArchived."""
    first = add_days(sunday, -6)
    accounts = premises_accounts()
    return Week(sunday, movements(first, sunday, accounts), commission.unearned(first, sunday))


def due(until: datetime.date) -> list[datetime.date]:
    """Return the Sundays up to a day whose statements are not issued, oldest first."""
    issued = Statement.objects.aggregate(last=Max("week_to"))["last"]
    first = add_days(issued, 1) if issued else _first_week()
    if first is None:
        return []
    weeks = range(((until - first).days + 1) // 7)
    return [add_days(first, 7 * number + 6) for number in weeks]


def premises_of(week: Week) -> list[int]:
    """Return the premises that get a statement: those with movements now or in an earlier week.

    Statements follow on each other without a gap, so those of the week before name the latter.
    """
    last = Statement.objects.filter(week_to=add_days(week.sunday, -7))
    begun = last.values_list("premises_id", flat=True)
    return sorted({*begun, *week.moved})


def ledger_cents(sunday: datetime.date) -> dict[int, int]:
    """Return the ledger's balance at the end of a week by premises id, with its commission posted.

    It does not use the reading of the week. Raises LedgerArchived.
    """
    accounts = premises_accounts()
    cents = balances_until(day_bounds(sunday)[1], accounts)
    return {accounts[account]: held for account, held in cents.items()}


def _first_week() -> datetime.date | None:
    """Return the Monday of the first movement of any premises."""
    accounts = list(premises_accounts())
    ours = Q(debit__in=accounts) | Q(credit__in=accounts)
    first = Transfer.objects.filter(ours).aggregate(first=Min("at"))["first"]
    if first is None:
        return None
    day = natural_day(first)
    return add_days(day, 1 - day.isoweekday())
