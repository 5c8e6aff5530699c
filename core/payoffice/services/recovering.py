"""Record what is given back of the loss by a voided cheque that the bank paid (ADR 69)."""

import datetime
from collections.abc import Mapping
from typing import Any

from django.db import transaction

from core.database import clock
from core.database.clock import row_uuid
from core.database.locks import Lock, hold
from core.kernel.days import natural_day
from core.kernel.errors import Conflict, Invalid
from core.ledger import services as ledger
from core.payoffice import postings, powers
from core.payoffice.models import Cheque, ChequeRecovery, VoidedChequePayment
from core.payoffice.services.cheques import cheque_get
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal


class ChequeNotLost(Conflict):
    code = "cheque_not_lost"
    message = "No loss by this cheque is on record: nothing of it can be given back."


class RecoveryAmountWrong(Conflict):
    code = "recovery_amount_wrong"
    message = "What is given back must be more than zero, and no more than is still lost."


class RecoveryDayWrong(Invalid):
    code = "recovery_day_wrong"
    message = "The bank credits it between the day on which it paid the cheque and today."


class RecoveryRecorded(Conflict):
    code = "recovery_recorded"
    message = "A credit with that reference is on record already."


class RecoveryReferenceMissing(Invalid):
    code = "recovery_reference_missing"
    message = "The reference of the bank's credit is needed."


@transaction.atomic
def loss_recover(
    *,
    by: StaffActor,
    number: int,
    amount_cents: int,
    credited_on: datetime.date,
    reference: str,
    returned_by: str,
) -> Proposal:
    """Propose to record that an amount of a loss was given back, as the bank credited it.

    Raises ChequeUnknown, ChequeNotLost, RecoveryAmountWrong, RecoveryDayWrong, RecoveryRecorded,
    RecoveryReferenceMissing, ProposalPending.
    """
    by.need(powers.ISSUE_CHEQUES)
    content: two_persons.Content = {
        "cheque": number,
        "amount_cents": amount_cents,
        "credited_on": credited_on.isoformat(),
        "reference": " ".join(reference.split()),
        "returned_by": ChequeRecovery.Giver(returned_by).value,
    }
    if not content["reference"]:
        raise RecoveryReferenceMissing
    _need_recoverable(content)
    return two_persons.propose(kind=RECOVERY, subject=f"cheque:{number}", by=by, content=content)


def _recovered(proposal: Proposal, by: StaffActor) -> None:
    hold((Lock.CHEQUE, 0))
    content, now = proposal.content, clock.now()
    recovery = ChequeRecovery.objects.create(
        uuid=row_uuid(now),
        cheque=_need_recoverable(content),
        amount_cents=content["amount_cents"],
        credited_on=datetime.date.fromisoformat(content["credited_on"]),
        reference=content["reference"],
        returned_by=content["returned_by"],
        proposal=proposal,
        recorded_at=now,
    )
    ledger.post(reference=recovery.uuid, lines=[postings.loss_recovered(recovery.amount_cents)])


def _need_recoverable(content: Mapping[str, Any]) -> Cheque:
    """Return a cheque of whose loss that much can have been given back, on that day."""
    cheque = cheque_get(content["cheque"])
    paid = VoidedChequePayment.objects.filter(
        cheque=cheque, outcome=VoidedChequePayment.Outcome.LOSS
    ).first()
    if paid is None:
        raise ChequeNotLost(number=cheque.number)
    credited_on = datetime.date.fromisoformat(content["credited_on"])
    if not paid.presented_on <= credited_on <= natural_day(clock.now()):
        raise RecoveryDayWrong(presented_on=paid.presented_on.isoformat())
    same = ChequeRecovery.objects.filter(reference__iexact=content["reference"])
    if same.exists():
        raise RecoveryRecorded(reference=content["reference"])
    if not 0 < content["amount_cents"] <= cheque.still_lost_cents:
        raise RecoveryAmountWrong(still_lost_cents=cheque.still_lost_cents)
    return cheque


RECOVERY = two_persons.Kind("payoffice.cheque_recovery", powers.ISSUE_CHEQUES, _recovered)
