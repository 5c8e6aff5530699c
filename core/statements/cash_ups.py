"""Close an operator's shift at a terminal: what must be in the drawer, and what was counted.

The figures are those of the ledger: the transfers of the premises' account whose act is of that
operator at that terminal. A shift goes from the operator's last cash-up there to this one. Which
transactions a cash-up has counted is known by its snapshot, so that a sale under way is counted in
one shift or the next, never in both and never in none.
"""

import datetime
import uuid
from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Min, QuerySet

from core.database import clock
from core.database.reading.asking import fetch_all, fetch_value
from core.database.reading.numbers import first_from
from core.kernel.days import day_bounds, natural_day
from core.kernel.errors import Conflict, NotFound
from core.ledger import openings
from core.ledger.models import Account, Transfer
from core.ledger.services import premises_account
from core.premises.access import TerminalActor
from core.premises.models import OperatorSession
from core.premises.requests import UuidReused, need_new
from core.premises.services import premises_by_code
from core.staff.actor import StaffActor
from core.statements import powers
from core.statements.columns import Column, column_of
from core.statements.models import CashUp

_AT_MOST = datetime.timedelta(hours=1)
"""Longer than a transaction lasts: one that the last cash-up did not see wrote no earlier time."""

_MOVED = """
SELECT x.kind, count(*),
       sum(CASE WHEN x.debit_id = %(account)s THEN x.amount_cents ELSE -x.amount_cents END)::bigint
  FROM ledger_transfer x
  JOIN journal_act a ON a.journal_xid = x.journal_xid
 WHERE %(account)s IN (x.debit_id, x.credit_id) AND x.id >= %(first)s AND x.at >= %(since)s
   AND a.terminal_id = %(terminal)s AND a.operator_id = %(operator)s
   AND pg_visible_in_snapshot(x.journal_xid::text::xid8, %(snapshot)s::pg_snapshot)
   AND (%(counted)s = ''
        OR NOT pg_visible_in_snapshot(
            x.journal_xid::text::xid8, nullif(%(counted)s, '')::pg_snapshot))
 GROUP BY 1 ORDER BY 1
"""


class DrawerMoved(Conflict):
    """Something was sold, refunded or paid since; `data`: expected_cents."""

    code = "drawer_moved"
    message = "Something was sold or paid meanwhile: look at the figures again."


class CashUpUnknown(NotFound):
    code = "cash_up_unknown"
    message = "No such cash-up was made at this terminal."


@dataclass(frozen=True, slots=True)
class Drawer:
    """The movements of an operator's shift at a terminal so far, in cents.

    Sales are positive; refunds and prizes paid are negative. `lines` has them by game (empty for
    none) and column, with the number of movements.
    """

    since: datetime.datetime
    lines: tuple[dict[str, Any], ...]
    snapshot: str

    def column_cents(self, column: Column) -> int:
        return sum(line["cents"] for line in self.lines if line["column"] == column)

    @property
    def expected_cents(self) -> int:
        return sum(line["cents"] for line in self.lines)


def drawer(*, by: TerminalActor) -> Drawer:
    """Return what the operator's shift at the terminal has moved so far.

    A first shift begins with the natural day on which the operator first signed on there. One that
    was open when its month was retired begins with the month after it: what it moved before is in
    the archive.
    """
    last = _last(by)
    since = last.closed_at if last else _first_since(by)
    since = max(since, openings.ends_at() or since)
    moved_since = since - _AT_MOST if last else since
    account = Account.objects.filter(code=premises_account(by.premises_id).code).first()
    snapshot = str(fetch_value("SELECT journal_snapshot()"))
    asked = {
        "account": account.pk if account else 0,
        "since": moved_since,
        "first": max(first_from(Transfer, "at", moved_since), openings.newest() + 1),
        "terminal": by.terminal_id,
        "operator": by.operator_id,
        "snapshot": snapshot,
        "counted": last.snapshot if last else "",
    }
    lines = tuple(_line(*row) for row in fetch_all(_MOVED, asked))
    return Drawer(since, lines, snapshot)


def _first_since(by: TerminalActor) -> datetime.datetime:
    """Return the beginning of the day on which the operator first signed on there.

    A first shift has all since then: who signed off without a cash-up has the money in the drawer.
    """
    sessions = OperatorSession.objects.filter(
        terminal_id=by.terminal_id, operator_id=by.operator_id
    )
    signed_on = sessions.aggregate(first=Min("started_at"))["first"]
    return day_bounds(natural_day(signed_on or clock.now()))[0]


def _line(kind: str, count: int, cents: int) -> dict[str, Any]:
    game, column = column_of(kind)
    return {"game": game, "column": column.value, "count": count, "cents": cents}


def _last(by: TerminalActor) -> CashUp | None:
    earlier = CashUp.objects.filter(terminal_id=by.terminal_id, operator_id=by.operator_id)
    return earlier.order_by("-number").first()


def cash_up_close(
    *,
    by: TerminalActor,
    ident: uuid.UUID,
    expected_cents: int,
    float_cents: int,
    counted_cents: int,
    note: str = "",
) -> CashUp:
    """Close the shift with what was counted. The same request again returns the same cash-up.

    `expected_cents` is what the operator was shown, `float_cents` the change that was in the drawer
    at the beginning. Raises DrawerMoved, UuidReused, or a
    refusal of the UUID.
    """
    content = {
        "terminal_id": by.terminal_id,
        "operator_id": by.operator_id,
        "expected_cents": expected_cents,
        "float_cents": float_cents,
        "counted_cents": counted_cents,
        "note": note,
    }
    cash_up = CashUp.objects.filter(uuid=ident).first()
    if cash_up is not None:
        if any(getattr(cash_up, field) != value for field, value in content.items()):
            raise UuidReused
        return cash_up
    need_new(ident)
    try:
        with transaction.atomic():
            return _close(by, ident, content)
    except IntegrityError as error:  # closed twice at once: the other one has counted
        raise DrawerMoved(expected_cents=drawer(by=by).expected_cents) from error


def _close(by: TerminalActor, ident: uuid.UUID, content: dict[str, Any]) -> CashUp:
    last, moved = _last(by), drawer(by=by)
    if moved.expected_cents != content["expected_cents"]:
        raise DrawerMoved(expected_cents=moved.expected_cents)
    named = {column: moved.column_cents(column) for column in _NAMED}
    return CashUp.objects.create(
        uuid=ident,
        number=last.number + 1 if last else 1,
        since=moved.since,
        closed_at=clock.now(),
        lines=list(moved.lines),
        snapshot=moved.snapshot,
        sales_cents=named[Column.SALES],
        annulments_cents=named[Column.ANNULMENTS],
        prizes_cents=named[Column.PRIZES],
        other_cents=moved.expected_cents - sum(named.values()),
        **content,
    )


_NAMED = (Column.SALES, Column.ANNULMENTS, Column.PRIZES)


def cash_up_of_terminal(*, terminal_id: int, ident: uuid.UUID) -> CashUp:
    """Return a cash-up that was made at the terminal. Raises CashUpUnknown."""
    rows = CashUp.objects.select_related("terminal__premises", "operator")
    cash_up = rows.filter(uuid=ident, terminal_id=terminal_id).first()
    if cash_up is None:
        raise CashUpUnknown
    return cash_up


def cash_ups(*, by: StaffActor, premises: str = "") -> QuerySet[CashUp]:
    """Return the cash-ups of all premises, or of one. Raises PowerMissing, PremisesUnknown."""
    by.need(powers.READ)
    rows = CashUp.objects.select_related("terminal__premises", "operator")
    return rows.filter(terminal__premises=premises_by_code(premises)) if premises else rows
