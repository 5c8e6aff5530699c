"""The office's registers, as they are looked up."""

from typing import Any
from uuid import UUID

from django.db.models import QuerySet, Sum

from core.kernel.errors import NotFound
from core.payoffice import powers
from core.payoffice.models import (
    CashSession,
    Cheque,
    Deposit,
    Exchange,
    Payment,
    Presentation,
    StockItem,
)
from core.premises.access import BareTerminal
from core.staff.actor import StaffActor


class PaymentUnknown(NotFound):
    code = "payment_unknown"
    message = "There is no such payment."


class PresentationUnknown(NotFound):
    code = "presentation_unknown"
    message = "There is no such presentation."


class ExchangeUnknown(NotFound):
    code = "exchange_unknown"
    message = "There is no such exchange."


def payments(*, by: StaffActor, premises: str = "") -> QuerySet[Payment]:
    """Payments, of one premises where given."""
    by.need(powers.READ)
    found = Payment.objects.select_related("claim", "premises", "terminal", "staff")
    found = found.prefetch_related("cheques")
    return found.filter(premises__code=premises) if premises else found


def payment(*, at: StaffActor | BareTerminal, ident: UUID) -> Payment:
    """A payment, for the office or the premises that made it. Raises PaymentUnknown."""
    rows = _own(Payment.objects.select_related("claim", "premises"), at)
    found: Payment | None = rows.filter(uuid=ident).first()
    if found is None:
        raise PaymentUnknown
    return found


def presentation(*, at: StaffActor | BareTerminal, ident: UUID) -> Presentation:
    """A presentation, for the office or where it was made. Raises PresentationUnknown."""
    rows = _own(Presentation.objects.select_related("claim", "premises"), at)
    found: Presentation | None = rows.filter(uuid=ident).first()
    if found is None:
        raise PresentationUnknown
    return found


def exchange(*, by: StaffActor, ident: UUID) -> Exchange:
    """Raises ExchangeUnknown."""
    by.need(powers.READ)
    found = Exchange.objects.select_related("claim", "premises", "item").filter(uuid=ident).first()
    if found is None:
        raise ExchangeUnknown
    return found


def deposits(*, by: StaffActor, waiting: bool = True) -> QuerySet[Deposit]:
    """Deposits with their matches and rulings; those not yet decided unless told otherwise."""
    by.need(powers.READ)
    found = Deposit.objects.select_related(
        "premises", "match__claim__ruling", "ruling"
    ).prefetch_related("images")
    if not waiting:
        return found
    return found.filter(ruling=None, match__claim__ruling=None)


def cheques(*, by: StaffActor, state: str = "") -> QuerySet[Cheque]:
    """The register, by number; of one state where given."""
    by.need(powers.READ)
    found = Cheque.objects.select_related("payment", "replaces")
    return found.filter(state=state) if state else found


def cash_sessions(*, by: StaffActor, own: bool = False) -> QuerySet[CashSession]:
    """Cash sessions with their movements; one's own where asked."""
    by.need(powers.READ)
    found = CashSession.objects.select_related("premises", "cashier")
    return found.filter(cashier_id=by.user_id) if own else found


def stock(*, by: StaffActor) -> QuerySet[StockItem]:
    """The things in the register, each with `units` in stock (None for none ever)."""
    by.need(powers.READ)
    return StockItem.objects.annotate(units=Sum("movements__units"))


def _own(rows: QuerySet[Any], at: StaffActor | BareTerminal) -> QuerySet[Any]:
    if isinstance(at, StaffActor):
        at.need(powers.READ)
        return rows
    return rows.filter(premises_id=at.premises_id)
