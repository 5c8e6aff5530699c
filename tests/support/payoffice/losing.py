"""Make a loss by a voided cheque that the bank paid to another, and give it back."""

from datetime import date
from uuid import UUID

from core.database import clock
from core.kernel.days import natural_day
from core.payoffice.services import cheques, recovering
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from core.staff.powers import Role
from tests.support import factories
from tests.support import paying as given

LOST_CENTS = 100_001


def lost(won: given.Presented | None = None, *, outcome: str = "loss") -> StaffActor:
    """Pay by cheque, void it, and record that the bank paid it today. Return who recorded it."""
    if won is None:
        (won,) = given.worth(LOST_CENTS)
    given.paid_by_two(given.cashier(), won.request(payee=given.MARIA))
    by, number = factories.staff(Role.SUPERVISOR), cheques.Cheque.objects.latest("number").number
    given.confirmed(cheques.cheque_void(by=by, number=number, reason="Lost."), Role.ORGANISER)
    paid = cheques.voided_cheque_paid(
        by=by,
        number=number,
        amount_cents=won.cents,
        presented_on=natural_day(clock.now()),
        outcome=outcome,
        reason="Statement.",
    )
    given.confirmed(paid, Role.ORGANISER)
    return by


def recovery(
    by: StaffActor,
    cents: int,
    reference: str = "TR 1",
    *,
    number: int = 1,
    on: date | None = None,
    giver: str = "bank",
) -> Proposal:
    """Propose to record that the bank credited an amount, today unless another day is named."""
    return recovering.loss_recover(
        by=by,
        number=number,
        amount_cents=cents,
        credited_on=on or natural_day(clock.now()),
        reference=reference,
        returned_by=giver,
    )


def recovered(by: StaffActor, cents: int, reference: str = "TR 1", *, number: int = 1) -> None:
    """Record by two persons that the bank credited an amount today."""
    given.confirmed(recovery(by, cents, reference, number=number), Role.ORGANISER)


def written_off(by: StaffActor, cents: int, *, number: int = 1) -> None:
    """Write off an amount of a loss by two persons."""
    proposal = recovering.loss_write_off(
        by=by, number=number, amount_cents=cents, reason="The case is closed."
    )
    given.confirmed(proposal, Role.ORGANISER)


def taken_back(by: StaffActor, entry: UUID, reason: str = "Entered by mistake.") -> None:
    """Take back an entry about a loss by two persons."""
    given.confirmed(
        recovering.loss_entry_reverse(by=by, entry=entry, reason=reason), Role.ORGANISER
    )
