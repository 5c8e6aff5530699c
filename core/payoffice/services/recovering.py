"""Record what becomes of the loss by a voided cheque that the bank paid (ADR 69).

An amount is given back, or it is written off. An entry by mistake is taken back by a counter entry,
also the record that the bank paid the cheque.
"""

import datetime
import uuid
from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction

from core.database import clock
from core.database.clock import row_uuid
from core.database.locks import MOVEMENTS, Lock, hold
from core.kernel.days import natural_day
from core.kernel.errors import Conflict, Invalid, NotFound
from core.kernel.request_uuids import derived_uuid
from core.kernel.texts import one_line
from core.ledger import services as ledger
from core.ledger.services import Line
from core.payoffice import postings, powers
from core.payoffice.models import (
    Cheque,
    ChequeRecovery,
    ChequeWriteOff,
    VoidedChequePayment,
)
from core.payoffice.services.cheques import ReasonNeeded, cheque_get
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal

Entry = VoidedChequePayment | ChequeRecovery | ChequeWriteOff
_UNIQUE_VIOLATION = "23505"
ENTRIES: tuple[type[Entry], ...] = (VoidedChequePayment, ChequeRecovery, ChequeWriteOff)


class ChequeNotLost(Conflict):
    code = "cheque_not_lost"
    message = "No loss by this cheque is on record: nothing of it can be given back or written off."


class RecoveryAmountWrong(Conflict):
    code = "recovery_amount_wrong"
    message = "What is given back must be more than zero, and no more than is still lost."


class WriteOffAmountWrong(Conflict):
    code = "write_off_amount_wrong"
    message = "What is written off must be more than zero, and no more than is still lost."


class RecoveryDayWrong(Invalid):
    code = "recovery_day_wrong"
    message = "The bank credits it between the day on which it paid the cheque and today."


class RecoveryRecorded(Conflict):
    code = "recovery_recorded"
    message = "A credit with that reference is on record already."


class RecoveryReferenceMissing(Invalid):
    code = "recovery_reference_missing"
    message = "The reference of the bank's credit is needed."


class LossEntryUnknown(NotFound):
    code = "loss_entry_unknown"
    message = "No entry about a voided cheque that the bank paid has that UUID."


class LossEntryReversed(Conflict):
    code = "loss_entry_reversed"
    message = "The entry was taken back already."


class LossEntriesStand(Conflict):
    code = "loss_entries_stand"
    message = "Take back first what was given back or written off of the loss."


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
        "reference": one_line(reference),
        "returned_by": ChequeRecovery.Giver(returned_by).value,
    }
    if not content["reference"]:
        raise RecoveryReferenceMissing
    _need_recoverable(content)
    return two_persons.propose(kind=RECOVERY, subject=f"cheque:{number}", by=by, content=content)


def _recovered(proposal: Proposal, by: StaffActor) -> None:
    hold((Lock.STATEMENT, MOVEMENTS), (Lock.CHEQUE, 0))
    content, now = proposal.content, clock.now()
    recovery = ChequeRecovery(
        uuid=row_uuid(now),
        cheque=_need_recoverable(content),
        amount_cents=content["amount_cents"],
        credited_on=datetime.date.fromisoformat(content["credited_on"]),
        reference=content["reference"],
        returned_by=content["returned_by"],
        proposal=proposal,
        recorded_at=now,
    )
    try:
        recovery.save(force_insert=True)
    except IntegrityError as error:  # premises paid a statement with that movement
        if getattr(error.__cause__, "sqlstate", None) != _UNIQUE_VIOLATION:
            raise
        raise RecoveryRecorded(reference=content["reference"]) from error
    ledger.post(reference=recovery.uuid, lines=[line_of(recovery)])


def _need_recoverable(content: Mapping[str, Any]) -> Cheque:
    """Return a cheque of whose loss that much can have been given back, on that day."""
    cheque, paid = _lost_by(content["cheque"])
    credited_on = datetime.date.fromisoformat(content["credited_on"])
    if not paid.presented_on <= credited_on <= natural_day(clock.now()):
        raise RecoveryDayWrong(presented_on=paid.presented_on.isoformat())
    same = ChequeRecovery.objects.filter(reference__iexact=content["reference"], reversed_at=None)
    if same.exists():
        raise RecoveryRecorded(reference=content["reference"])
    if not 0 < content["amount_cents"] <= cheque.still_lost_cents:
        raise RecoveryAmountWrong(still_lost_cents=cheque.still_lost_cents)
    return cheque


@transaction.atomic
def loss_write_off(*, by: StaffActor, number: int, amount_cents: int, reason: str) -> Proposal:
    """Propose to write off an amount of a loss that nobody will give back.

    Raises ChequeUnknown, ChequeNotLost, WriteOffAmountWrong, ReasonNeeded, ProposalPending.
    """
    by.need(powers.ISSUE_CHEQUES)
    if not reason.strip():
        raise ReasonNeeded
    content: two_persons.Content = {
        "cheque": number,
        "amount_cents": amount_cents,
        "reason": reason,
    }
    _need_still_lost(content)
    return two_persons.propose(kind=WRITE_OFF, subject=f"cheque:{number}", by=by, content=content)


def _written_off(proposal: Proposal, by: StaffActor) -> None:
    hold((Lock.CHEQUE, 0))
    content, now = proposal.content, clock.now()
    write_off = ChequeWriteOff.objects.create(
        uuid=row_uuid(now),
        cheque=_need_still_lost(content),
        amount_cents=content["amount_cents"],
        reason=content["reason"],
        proposal=proposal,
        recorded_at=now,
    )
    ledger.post(reference=write_off.uuid, lines=[line_of(write_off)])


def _need_still_lost(content: Mapping[str, Any]) -> Cheque:
    """Return a cheque of whose loss that much is still lost."""
    cheque, _ = _lost_by(content["cheque"])
    if not 0 < content["amount_cents"] <= cheque.still_lost_cents:
        raise WriteOffAmountWrong(still_lost_cents=cheque.still_lost_cents)
    return cheque


def _lost_by(number: int) -> tuple[Cheque, VoidedChequePayment]:
    cheque = cheque_get(number)
    paid = cheque.bank_payment
    if paid is None or not paid.lost_cents:
        raise ChequeNotLost(number=number)
    return cheque, paid


@transaction.atomic
def loss_entry_reverse(*, by: StaffActor, entry: uuid.UUID, reason: str) -> Proposal:
    """Propose to take back, by a counter entry, what was recorded by mistake or is given back now.

    Raises LossEntryUnknown, LossEntryReversed, LossEntriesStand, ReasonNeeded, ProposalPending.
    """
    by.need(powers.ISSUE_CHEQUES)
    if not reason.strip():
        raise ReasonNeeded
    row = _need_standing(entry)
    content: two_persons.Content = {
        "cheque": row.cheque.number,
        "entry": str(entry),
        "amount_cents": row.amount_cents,
        "reason": reason,
    }
    return two_persons.propose(kind=REVERSAL, subject=f"entry:{entry}", by=by, content=content)


def _reversed(proposal: Proposal, by: StaffActor) -> None:
    hold((Lock.CHEQUE, 0))
    row = _need_standing(uuid.UUID(proposal.content["entry"]))
    row.reversed_at, row.reversal = clock.now(), proposal
    row.reversed_reason = proposal.content["reason"]
    row.save(update_fields=["reversed_at", "reversal", "reversed_reason"])
    line = postings.entry_reversed(line_of(row))
    ledger.post(reference=derived_uuid(row.uuid, "reversal"), lines=[line])


def _need_standing(entry: uuid.UUID) -> Entry:
    """Return the entry with that UUID, if it was not taken back and nothing stands on it."""
    rows = (model.objects.select_related("cheque").filter(uuid=entry).first() for model in ENTRIES)
    row = next((each for each in rows if each is not None), None)
    if row is None:
        raise LossEntryUnknown
    if row.reversed_at is not None:
        raise LossEntryReversed
    if isinstance(row, VoidedChequePayment) and row.cheque.still_lost_cents < row.lost_cents:
        raise LossEntriesStand(still_lost_cents=row.cheque.still_lost_cents)
    return row


def line_of(entry: Entry) -> Line:
    """Return the line by which the entry was posted."""
    if isinstance(entry, VoidedChequePayment):
        settled = entry.outcome == VoidedChequePayment.Outcome.SETTLED
        return postings.voided_cheque_paid(settled=settled, cents=entry.amount_cents)
    recovered = isinstance(entry, ChequeRecovery)
    posting = postings.loss_recovered if recovered else postings.written_off
    return posting(entry.amount_cents)


RECOVERY = two_persons.Kind("payoffice.cheque_recovery", powers.ISSUE_CHEQUES, _recovered)
WRITE_OFF = two_persons.Kind(
    "payoffice.cheque_write_off", powers.ISSUE_CHEQUES, _written_off, second=powers.WRITE_OFF
)
REVERSAL = two_persons.Kind("payoffice.loss_reversal", powers.ISSUE_CHEQUES, _reversed)
