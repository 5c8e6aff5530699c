"""Read the registers of the prize office."""

from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Q, QuerySet, Sum

from core.kernel.errors import NotFound
from core.looks.recording import look_at_row
from core.payoffice import powers
from core.payoffice.models import (
    CashSession,
    Cheque,
    Claim,
    Deposit,
    Exchange,
    Payment,
    Presentation,
    StockItem,
)
from core.premises.access import BareTerminal
from core.premises.models import Premises
from core.staff.actor import StaffActor

R = TypeVar("R")


class PaymentUnknown(NotFound):
    code = "payment_unknown"
    message = "There is no such payment."


class PresentationUnknown(NotFound):
    code = "presentation_unknown"
    message = "There is no such presentation."


class ClosingUnknown(NotFound):
    code = "closing_unknown"
    message = "There is no such closed cash session."


class ExchangeUnknown(NotFound):
    code = "exchange_unknown"
    message = "There is no such exchange."


def payments(*, by: StaffActor, premises: str = "") -> QuerySet[Payment]:
    """Return all payments, or those of one premises."""
    by.need(powers.READ)
    rows = Payment.objects.select_related("claim", "premises", "terminal", "staff")
    rows = rows.prefetch_related("cheques")
    return rows.filter(premises__code=premises) if premises else rows


def payment(*, at: StaffActor | BareTerminal, ident: UUID) -> Payment:
    """Return a payment, for the office or for the premises that made it. Raises PaymentUnknown."""
    rows = _own(Payment.objects.select_related("claim", "premises"), at)
    row: Payment | None = rows.filter(uuid=ident).first()
    if row is None:
        raise PaymentUnknown
    return _seen(row.claim, row, at)


def presentation(*, at: StaffActor | BareTerminal, ident: UUID) -> Presentation:
    """Return a presentation, for the office or for the premises that made it.

    Raises PresentationUnknown.
    """
    rows = _own(Presentation.objects.select_related("claim", "premises"), at)
    row: Presentation | None = rows.filter(uuid=ident).first()
    if row is None:
        raise PresentationUnknown
    return _seen(row.claim, row, at)


def exchange(*, by: StaffActor, ident: UUID) -> Exchange:
    """Return an exchange. Raises ExchangeUnknown."""
    by.need(powers.READ)
    row = Exchange.objects.select_related("claim", "premises", "item").filter(uuid=ident).first()
    if row is None:
        raise ExchangeUnknown
    return _seen(row.claim, row, by)


def deposits(*, by: StaffActor, waiting: bool = True) -> QuerySet[Deposit]:
    """Return the deposits with matches and rulings; with `waiting`, the undecided ones only."""
    by.need(powers.READ)
    rows = Deposit.objects.select_related(
        "premises", "match__claim__ruling", "ruling"
    ).prefetch_related("images", "arrivals__premises")
    if not waiting:
        return rows
    decided = Q(match__claim__state=Claim.State.NO_PRIZE)
    return rows.filter(ruling=None, match__claim__ruling=None).exclude(decided)


@dataclass(frozen=True, slots=True)
class Unmatched:
    """A deposit that nobody has matched with its document, and the premises where the paper is."""

    deposit: Deposit
    paper_at: Premises


def unmatched_deposits() -> list[Unmatched]:
    """Return the deposits that are neither matched nor ruled on, oldest first (14.III.10.5)."""
    rows = Deposit.objects.filter(match=None, ruling=None).select_related("premises")
    rows = rows.prefetch_related("arrivals__premises").order_by("pk")
    return [Unmatched(row, paper_at(row)) for row in rows]


def paper_at(deposit: Deposit) -> Premises:
    """Return the premises where a deposited paper is: where it arrived last, or was taken in."""
    arrivals = sorted(deposit.arrivals.all(), key=lambda arrival: arrival.pk)
    place: Premises = arrivals[-1].premises if arrivals else deposit.premises
    return place


def cheques(*, by: StaffActor, state: str = "") -> QuerySet[Cheque]:
    """Return the cheques of the register, all or those in one state."""
    by.need(powers.READ)
    rows = Cheque.objects.select_related("payment", "replaces")
    rows = rows.prefetch_related("bank_payments", "recoveries", "write_offs")
    return rows.filter(state=state) if state else rows


def cash_sessions(*, by: StaffActor, own: bool = False) -> QuerySet[CashSession]:
    """Return the cash sessions; with `own`, those of the person who asks only."""
    by.need(powers.READ)
    rows = CashSession.objects.select_related("premises", "cashier")
    return rows.filter(cashier_id=by.user_id) if own else rows


def closed_session(*, by: StaffActor, ident: UUID) -> CashSession:
    """Return a closed cash session with its cashier and office. Raises ClosingUnknown."""
    by.need(powers.READ)
    rows = CashSession.objects.select_related("premises", "cashier", "proposal")
    row: CashSession | None = rows.filter(uuid=ident, closed_at__isnull=False).first()
    if row is None:
        raise ClosingUnknown
    return row


def stock(*, by: StaffActor) -> QuerySet[StockItem]:
    """Return the registered things with their `units` in stock (None: no movement yet)."""
    by.need(powers.READ)
    return StockItem.objects.annotate(units=Sum("movements__units"))


def _seen(claim: Claim, row: R, at: StaffActor | BareTerminal) -> R:
    """Return a row about a claim, once it is on record that a member of staff looks at it."""
    if isinstance(at, StaffActor):
        look_at_row(claim)
    return row


def _own(rows: QuerySet[Any], at: StaffActor | BareTerminal) -> QuerySet[Any]:
    if isinstance(at, StaffActor):
        at.need(powers.READ)
        return rows
    return rows.filter(premises_id=at.premises_id)
