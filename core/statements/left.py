"""Tell which statements and payments left with a retired month, and what is known of them (ADR 81).

A night deletes what was retired, so rows that leave may still be there: who sums takes those that
stay (`staying`), and adds the sums of those that left.
"""

import datetime
import uuid
from collections.abc import Iterator
from typing import Any

from django.db.models import BooleanField, F, Func, Q, QuerySet

from core.database.reading.asking import fetch_all, fetch_value
from core.kernel.errors import NotFound

_LAST_RETIRED = """
SELECT coalesce(max(last_row), 0) FROM periods_retiredrows WHERE relation = %s
"""
_COMMISSION = """
SELECT premises_id, game, sum(commission_cents)::bigint FROM statements_left_commission
 GROUP BY 1, 2 ORDER BY 1, 2
"""
_PAID = """
SELECT premises_id, sum(amount_cents)::bigint FROM statements_left_payments GROUP BY 1 ORDER BY 1
"""
_CLOSINGS = """
SELECT DISTINCT ON (premises_id) premises_id, last_number, closing_cents FROM statements_left
 ORDER BY premises_id, retired DESC
"""
_NEWEST = "SELECT max(last_sunday) FROM statements_left"
_OF_PREMISES = """
SELECT l.last_number, l.last_sunday, to_char(p.first_day, 'YYYY-MM'), r.kept
  FROM statements_left l JOIN periods_retiredrows d ON d.id = l.retired
  JOIN periods_retirement r ON r.id = d.retirement_id
  JOIN periods_closedperiod p ON p.id = r.period_id
 WHERE l.part = %(premises)s / 64 AND l.premises_id = %(premises)s ORDER BY l.retired
"""


class StatementUnknown(NotFound):
    code = "statement_unknown"
    message = "There is no such statement."


class StatementArchived(StatementUnknown):
    """`data["month"]` is the month with which it left, `data["kept"]` where its archive is kept."""

    code = "statement_archived"
    message = "That statement was settled and has left. The archive of a month has it."


def staying(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Return those statements or payments that were not retired, or stay for good."""
    table = rows.model._meta.db_table
    last = fetch_value(_LAST_RETIRED, [table])
    leaves = Func(F("pk"), function=f"{table}_leaves", output_field=BooleanField())
    stay: QuerySet[Any] = rows.alias(leaves=leaves).filter(Q(pk__gt=last) | Q(leaves=False))
    return stay


def commission_left() -> Iterator[tuple[int, dict[str, int]]]:
    """Yield the commission that left of each premises and game: its id, and cents by game."""
    for premises, game, cents in fetch_all(_COMMISSION):
        yield premises, {game: cents}


def paid_left() -> list[tuple[int, int]]:
    """Return the premises of payments that left, by id, with the sum of these in cents."""
    return fetch_all(_PAID)


def closings_left() -> dict[int, tuple[int, int]]:
    """Return number and balance, in cents, of the last statement that left, by premises id."""
    return {premises: (number, cents) for premises, number, cents in fetch_all(_CLOSINGS)}


def newest_left() -> datetime.date | None:
    """Return the last day of the newest statement of any premises that left; None if none did."""
    last: datetime.date | None = fetch_value(_NEWEST)
    return last


def last_left(premises_id: int) -> datetime.date | None:
    """Return the last day of the newest statement of premises that left; None if none did."""
    weeks = fetch_all(_OF_PREMISES, {"premises": premises_id})
    return weeks[-1][1] if weeks else None


def archived(ident: uuid.UUID, premises_id: int, monday: datetime.date) -> StatementArchived | None:
    """Return the refusal that names the archive, if the statement of a week left; None if it did
    not. Call it if that is not there.

    Premises have a statement of every week since their first one.
    """
    for number, last, month, kept in fetch_all(_OF_PREMISES, {"premises": premises_id}):
        back = (last - monday).days - 6
        if 0 <= back <= 7 * (number - 1) and back % 7 == 0:
            return StatementArchived(statement=str(ident), month=month, kept=kept)
    return None


def movement_premises(reference: str) -> set[int]:
    """Return the premises, by id, that have a part of a bank movement among payments that left."""
    query = "SELECT p FROM statements_movement_left(%(reference)s) p"
    return {premises for (premises,) in fetch_all(query, {"reference": reference})}
