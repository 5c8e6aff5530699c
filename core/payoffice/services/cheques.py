"""Keep the register of nominative cheques: draw, void, reissue, reconcile (14.III.10.6) [C3]."""

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Max

from core.database import clock
from core.database.clock import row_uuid
from core.database.locks import Lock, hold
from core.journal import lineages
from core.kernel.days import natural_day
from core.kernel.errors import Conflict, Invalid, NotFound
from core.kernel.request_uuids import derived_uuid
from core.ledger import services as ledger
from core.payoffice import postings, powers
from core.payoffice.models import CashCeiling, Cheque, Payee, Payment, VoidedChequePayment
from core.payoffice.services.personal_data import PayeeFacts, payee_encrypt
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal


class ChequeUnknown(NotFound):
    code = "cheque_unknown"
    message = "There is no cheque with that number."


class ChequeNotIssued(Conflict):
    code = "cheque_not_issued"
    message = (
        "The cheque has been presented or voided already. Two persons record that the bank paid a"
        " voided one."
    )


class ChequeStands(Conflict):
    code = "cheque_stands"
    message = "Only a voided cheque that has no replacement yet can be issued again."


class ChequeNotVoided(Conflict):
    code = "cheque_not_voided"
    message = "Only a voided cheque is recorded as paid all the same, and once."


class ChequeReplaced(Conflict):
    code = "cheque_replaced"
    message = "Another cheque stands for this one: void that first, or the organiser bears it."


class ChequeSettled(Conflict):
    code = "cheque_settled"
    message = "The payee has the money already, by a cheque that the bank paid although voided."


class PayeeErased(Conflict):
    code = "payee_erased"
    message = "The payee's name and document were erased: name the payee again."


class ChequeAmountDiffers(Conflict):
    code = "cheque_amount_differs"
    message = "The bank's amount is not the cheque's."


class ChequeDayWrong(Invalid):
    code = "cheque_day_wrong"
    message = "A cheque is presented between the day of its issue and today."


class ReasonNeeded(Invalid):
    code = "reason_needed"
    message = "A reason is needed."


class ChequeNumbersUsedUp(Conflict):
    code = "cheque_numbers_used_up"
    message = (
        "No number for a cheque is left in this lineage of the journal, and nothing is done."
        " Another lineage must be begun (journal_lineage); then confirm again."
    )


class CeilingNotLater(Invalid):
    code = "ceiling_not_later"
    message = "A cash ceiling needs an amount, its source, and a later day that has no ceiling yet."


def cheque_draw(
    *, payment: Payment, payee: Payee, replaces: Cheque | None = None, reissue: int | None = None
) -> Cheque:
    """Draw the next cheque of the register for a payment. Call it in the transaction of the act.

    A lineage of the journal numbers its cheques above all those of earlier ones. Raises
    ChequeNumbersUsedUp.
    """
    hold((Lock.CHEQUE, 0))
    last = Cheque.objects.aggregate(last=Max("number"))["last"] or 0
    lineage = lineages.lineage()
    number = max(last, lineage * Cheque.PER_LINEAGE) + 1
    if number // Cheque.PER_LINEAGE != lineage:
        raise ChequeNumbersUsedUp
    cheque: Cheque = Cheque.objects.create(
        number=number,
        payment=payment,
        payee=payee,
        amount_cents=payment.amount_cents,
        state=Cheque.State.ISSUED,
        issued_at=clock.now(),
        replaces=replaces,
        reissue_id=reissue,
    )
    return cheque


def cheque_get(number: int) -> Cheque:
    """Return the cheque with that number. Raises ChequeUnknown."""
    cheque = Cheque.objects.select_related("payment", "payee").filter(number=number).first()
    if cheque is None:
        raise ChequeUnknown(number=number)
    return cheque


def cheque_printed(*, by: StaffActor, number: int) -> Cheque:
    """Return a cheque to print with its payee's name. Raises ChequeUnknown."""
    by.need(powers.PRINT_CHEQUES)
    return cheque_get(number)


@transaction.atomic
def cheque_void(*, by: StaffActor, number: int, reason: str) -> Proposal:
    """Propose to void a cheque that was not presented, so that another can be issued.

    Raises ChequeUnknown, ChequeNotIssued, ReasonNeeded.
    """
    by.need(powers.ISSUE_CHEQUES)
    _need_issued(cheque_get(number))
    if not reason.strip():
        raise ReasonNeeded
    return two_persons.propose(
        kind=VOID, subject=f"cheque:{number}", by=by, content={"cheque": number, "reason": reason}
    )


def _voided(proposal: Proposal, by: StaffActor) -> None:
    hold((Lock.CHEQUE, 0))
    cheque = _need_issued(cheque_get(proposal.content["cheque"]))
    cheque.state, cheque.voiding = Cheque.State.VOIDED, proposal
    cheque.void_reason = proposal.content["reason"]
    cheque.save(update_fields=["state", "voiding", "void_reason"])


@transaction.atomic
def cheque_reissue(*, by: StaffActor, number: int, payee: PayeeFacts | None = None) -> Proposal:
    """Propose to replace a voided cheque, for the same payee or for one that is named again.

    Raises ChequeUnknown, ChequeStands, ChequeSettled, PayeeErased.
    """
    by.need(powers.ISSUE_CHEQUES)
    cheque = _need_replaceable(cheque_get(number))
    new_payee = payee_encrypt(payee) if payee else _need_kept(cheque.payee)
    return two_persons.propose(
        kind=REISSUE,
        subject=f"cheque:{number}",
        by=by,
        content={
            "cheque": number,
            "payee": str(new_payee.uuid),
            "amount_cents": cheque.amount_cents,
        },
    )


def _reissued(proposal: Proposal, by: StaffActor) -> None:
    hold((Lock.CHEQUE, 0))
    cheque = _need_replaceable(cheque_get(proposal.content["cheque"]))
    payee = _need_kept(Payee.objects.get(uuid=proposal.content["payee"]))
    cheque_draw(payment=cheque.payment, payee=payee, replaces=cheque, reissue=proposal.pk)


@transaction.atomic
def voided_cheque_paid(
    *,
    by: StaffActor,
    number: int,
    amount_cents: int,
    presented_on: datetime.date,
    outcome: str,
    reason: str,
) -> Proposal:
    """Propose to record that the bank paid a voided cheque all the same, and who has the money.

    Raises ChequeUnknown, ChequeNotVoided, ChequeAmountDiffers, ChequeDayWrong, ChequeReplaced,
    ChequeSettled, ReasonNeeded.
    """
    by.need(powers.ISSUE_CHEQUES)
    if not reason.strip():
        raise ReasonNeeded
    content: two_persons.Content = {
        "cheque": number,
        "amount_cents": amount_cents,
        "presented_on": presented_on.isoformat(),
        "outcome": outcome,
        "reason": reason,
    }
    _need_paid_all_the_same(content)
    return two_persons.propose(
        kind=VOIDED_PAYMENT, subject=f"cheque:{number}", by=by, content=content
    )


def _voided_paid(proposal: Proposal, by: StaffActor) -> None:
    hold((Lock.CHEQUE, 0))
    content, now = proposal.content, clock.now()
    paid = VoidedChequePayment.objects.create(
        uuid=row_uuid(now),
        cheque=_need_paid_all_the_same(content),
        amount_cents=content["amount_cents"],
        presented_on=datetime.date.fromisoformat(content["presented_on"]),
        outcome=content["outcome"],
        reason=content["reason"],
        proposal=proposal,
        recorded_at=now,
    )
    settled = paid.outcome == VoidedChequePayment.Outcome.SETTLED
    line = postings.voided_cheque_paid(settled=settled, cents=paid.amount_cents)
    ledger.post(reference=paid.uuid, lines=[line])


def _need_paid_all_the_same(content: Mapping[str, Any]) -> Cheque:
    """Return a voided cheque for which the bank can have paid that, with that outcome."""
    cheque = cheque_get(content["cheque"])
    if cheque.state != Cheque.State.VOIDED or cheque.bank_payment:
        raise ChequeNotVoided(number=cheque.number, state=cheque.state)
    if cheque.amount_cents != content["amount_cents"]:
        raise ChequeAmountDiffers(number=cheque.number, amount_cents=cheque.amount_cents)
    presented_on = datetime.date.fromisoformat(content["presented_on"])
    _need_day(cheque, presented_on, natural_day(clock.now()))
    if content["outcome"] == VoidedChequePayment.Outcome.SETTLED:
        _need_unsettled(cheque)
        standing = Cheque.objects.filter(payment=cheque.payment).exclude(state=Cheque.State.VOIDED)
        if standing.exists():
            raise ChequeReplaced(number=cheque.number)
    return cheque


def _need_unsettled(cheque: Cheque) -> None:
    settled = VoidedChequePayment.objects.filter(
        cheque__payment=cheque.payment,
        outcome=VoidedChequePayment.Outcome.SETTLED,
        reversed_at=None,
    )
    if settled.exists():
        raise ChequeSettled(number=cheque.number)


def _need_day(cheque: Cheque, presented_on: datetime.date, today: datetime.date) -> None:
    if not natural_day(cheque.issued_at) <= presented_on <= today:
        raise ChequeDayWrong(number=cheque.number)


def cheque_reconcile(
    *, by: StaffActor, number: int, amount_cents: int, presented_on: datetime.date
) -> Cheque:
    """Record that the bank paid a cheque, as `cheques_reconcile` does for many."""
    item = {"number": number, "amount_cents": amount_cents, "presented_on": presented_on}
    return cheques_reconcile(by=by, items=[item])[0]


@transaction.atomic
def cheques_reconcile(*, by: StaffActor, items: Sequence[Mapping[str, Any]]) -> list[Cheque]:
    """Record that the bank paid cheques, all or none, as its statement says.

    Each item has `number`, `amount_cents` and `presented_on`. A second call changes nothing, nor
    does an item for a voided cheque that two persons recorded as paid on that day.
    Raises ChequeUnknown, ChequeNotIssued, ChequeAmountDiffers, ChequeDayWrong.
    """
    by.need(powers.ISSUE_CHEQUES)
    hold((Lock.CHEQUE, 0))
    rows = Cheque.objects.select_related("payment", "replaces")
    rows = rows.prefetch_related("bank_payments", "recoveries", "write_offs")
    cheques = rows.in_bulk([item["number"] for item in items], field_name="number")
    now = clock.now()
    new = (_presented(cheques, item, natural_day(now)) for item in items)
    presented = [cheque for cheque in new if cheque is not None]
    for cheque in presented:
        cheque.reconciled_at, cheque.reconciled_by_id = now, by.user_id
    Cheque.objects.bulk_update(
        presented, ["state", "presented_on", "reconciled_at", "reconciled_by"]
    )
    ledger.post_all(
        {
            derived_uuid(cheque.payment.uuid, f"cheque:{cheque.number}"): [
                postings.cheque_presented(cheque.amount_cents)
            ]
            for cheque in presented
        }
    )
    return [cheques[item["number"]] for item in items]


def _presented(
    cheques: Mapping[int, Cheque], item: Mapping[str, Any], today: datetime.date
) -> Cheque | None:
    """Mark the cheque of an item as presented and return it; None if that is on record."""
    number, presented_on = item["number"], item["presented_on"]
    cheque = cheques.get(number)
    if cheque is None:
        raise ChequeUnknown(number=number)
    if cheque.amount_cents != item["amount_cents"]:
        raise ChequeAmountDiffers(number=number, amount_cents=cheque.amount_cents)
    paid = cheque if cheque.state == Cheque.State.PRESENTED else cheque.bank_payment
    if paid is not None and paid.presented_on == presented_on:
        return None
    _need_issued(cheque)
    _need_day(cheque, presented_on, today)
    cheque.state, cheque.presented_on = Cheque.State.PRESENTED, presented_on
    return cheque


@transaction.atomic
def ceiling_propose(
    *, by: StaffActor, in_force_from: datetime.date, cents: int, source: str
) -> Proposal:
    """Propose a cash ceiling that later law sets from a future day on [C3].

    Raises CeilingNotLater.
    """
    by.need(powers.SET_CASH_CEILING)
    _need_later(in_force_from)
    if not source.strip() or cents < 1:
        raise CeilingNotLater
    content: two_persons.Content = {
        "in_force_from": in_force_from.isoformat(),
        "cents": cents,
        "source": source,
    }
    return two_persons.propose(kind=CASH_CEILING, subject="cash_ceiling", by=by, content=content)


def _ceiling_set(proposal: Proposal, by: StaffActor) -> None:
    day = datetime.date.fromisoformat(proposal.content["in_force_from"])
    _need_later(day)
    CashCeiling.objects.create(
        in_force_from=day,
        cents=proposal.content["cents"],
        source=proposal.content["source"],
        proposal=proposal,
        recorded_at=clock.now(),
    )


def _need_later(day: datetime.date) -> None:
    if day <= natural_day(clock.now()) or CashCeiling.objects.filter(in_force_from=day).exists():
        raise CeilingNotLater(in_force_from=day.isoformat())


def _need_issued(cheque: Cheque) -> Cheque:
    if cheque.state != Cheque.State.ISSUED:
        raise ChequeNotIssued(number=cheque.number, state=cheque.state)
    return cheque


def _need_replaceable(cheque: Cheque) -> Cheque:
    if cheque.state != Cheque.State.VOIDED or hasattr(cheque, "replaced_by"):
        raise ChequeStands(number=cheque.number, state=cheque.state)
    _need_unsettled(cheque)
    return cheque


def _need_kept(payee: Payee) -> Payee:
    """Return a payee whose cheque can be printed. Raises PayeeErased."""
    if payee.purged_at is not None:
        raise PayeeErased
    return payee


VOID = two_persons.Kind("payoffice.cheque_void", powers.ISSUE_CHEQUES, _voided)
REISSUE = two_persons.Kind("payoffice.cheque_reissue", powers.ISSUE_CHEQUES, _reissued)
VOIDED_PAYMENT = two_persons.Kind(
    "payoffice.cheque_paid_voided", powers.ISSUE_CHEQUES, _voided_paid
)
CASH_CEILING = two_persons.Kind(
    "payoffice.cash_ceiling", powers.SET_CASH_CEILING, _ceiling_set, good_for=two_persons.A_WEEK
)
