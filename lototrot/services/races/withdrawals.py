"""Withdraw horses before the start, and reverse mistaken withdrawals (14.III.5.4.1) [B1, B6, B7].

A withdrawal takes its number off sale when it is entered; a second person confirms it. A mistaken
one can be reversed until the start, and the number is on offer again. One that was entered after
the start can be reversed until payment is ordered, or the draw of the race begins.

A withdrawal before the start that nobody entered may prove to be missing, or a wrong one to be
there, only when the race is classified. It is put right until the payment order [B14], and the
contest waits until the classification is corrected, too.
"""

from datetime import datetime

from django.db import transaction

from core.database import clock
from core.kernel.errors import Conflict, NotFound
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Decision, Proposal
from lototrot import powers
from lototrot.engine.races import NumberNotInProgramme
from lototrot.models.running import Withdrawal
from lototrot.selectors.races import RaceRecord
from lototrot.services.races.course import (
    need_undrawn,
    need_unordered,
    past_instant,
    race_get,
    race_hold,
)
from lototrot.services.reasons import need_reason, need_source


class AlreadyWithdrawn(Conflict):
    code = "already_withdrawn"
    message = "The horse is already withdrawn."


class WithdrawalTooLate(Conflict):
    code = "withdrawal_too_late"
    message = "A horse can be withdrawn only before the start (14.III.5.4.1)."


class NoStarterLeft(Conflict):
    code = "no_starter_left"
    message = "The race has started: not all of its horses can have been withdrawn."


class WithdrawalUnknown(NotFound):
    code = "withdrawal_unknown"
    message = "There is no such withdrawal, or it is reversed."


class WithdrawalUnconfirmed(Conflict):
    code = "withdrawal_unconfirmed"
    message = "The withdrawal waits for its second person: confirm it or reject it."


class WithdrawalIrreversible(Conflict):
    code = "withdrawal_irreversible"
    message = "The race has started: a withdrawal that stood before the start cannot be reversed."


@transaction.atomic
def withdrawal_enter(
    *, by: StaffActor, race_id: int, number: int, source: str, effective_at: datetime | None = None
) -> Withdrawal:
    """Withdraw a horse, now or as of an earlier instant. Terminals refuse its number from now on.

    The second person confirms or rejects `withdrawal.proposal`. After the start, record it only if
    it was effective before the start [B6]. Raise RaceUnknown, NumberNotInProgramme,
    AlreadyWithdrawn, SourceMissing, NaiveInstant, InstantAhead, WithdrawalTooLate, NoStarterLeft,
    PaymentOrdered, DrawBegun or DrawCertified.
    """
    by.need(powers.WITHDRAW)
    need_source(source)
    race = race_get(race_id)
    # Before the proposal, whose error would only say that another one is pending.
    _need_free(race_id, number)
    proposal = two_persons.propose(
        kind=WITHDRAWAL,
        subject=f"race:{race_id}:{number}",
        by=by,
        content={
            "race": race_id,
            "number": number,
            "source": source,
            "effective_at": effective_at.isoformat() if effective_at else None,
        },
    )
    record = race_hold(race)
    _need_free(race_id, number)
    now = clock.now()
    instant = past_instant(effective_at) if effective_at else now
    _need_possible(record, number, instant)
    withdrawal: Withdrawal = Withdrawal.objects.create(
        race=race,
        number=number,
        effective_at=instant,
        source=source,
        entered_at=now,
        entered_by_id=by.user_id,
        entered_in_id=by.session_id,
        proposal=proposal,
    )
    return withdrawal


@transaction.atomic
def withdrawal_reverse(*, by: StaffActor, withdrawal_id: int, reason: str) -> Proposal:
    """Propose to reverse a mistaken withdrawal that is confirmed; a second person confirms it.

    An unconfirmed withdrawal is rejected instead. Raise WithdrawalUnknown, WithdrawalUnconfirmed,
    ReasonMissing, WithdrawalIrreversible, PaymentOrdered, DrawBegun or DrawCertified.
    """
    by.need(powers.WITHDRAW)
    need_reason(reason)
    withdrawal = _standing(withdrawal_id)
    if withdrawal.confirmed_at is None:
        raise WithdrawalUnconfirmed(withdrawal=withdrawal_id)
    proposal = two_persons.propose(
        kind=REVERSAL,
        subject=f"withdrawal:{withdrawal_id}",
        by=by,
        content={
            "withdrawal": withdrawal_id,
            "race": withdrawal.race_id,
            "number": withdrawal.number,
            "reason": reason,
        },
    )
    _need_reversible(race_hold(withdrawal.race), withdrawal)
    return proposal


def _standing(withdrawal_id: int) -> Withdrawal:
    in_force = Withdrawal.objects.select_related("race").filter(pk=withdrawal_id, reversed_at=None)
    withdrawal: Withdrawal | None = in_force.first()
    if withdrawal is None:
        raise WithdrawalUnknown(withdrawal=withdrawal_id)
    return withdrawal


def _need_free(race_id: int, number: int) -> None:
    if Withdrawal.objects.filter(race=race_id, number=number, reversed_at=None).exists():
        raise AlreadyWithdrawn(race=race_id, number=number)


def _need_possible(record: RaceRecord, number: int, instant: datetime) -> None:
    if number not in record.programme:
        raise NumberNotInProgramme(race=record.race_id, number=number)
    _need_unsettled(record)
    if not record.in_time(instant):
        raise WithdrawalTooLate(race=record.race_id, number=number)
    if record.start and record.withdrawn | record.left | {number} == set(record.programme):
        raise NoStarterLeft(race=record.race_id)


def _need_unsettled(record: RaceRecord) -> None:
    if record.classification:
        need_unordered(record.race_id)
    need_undrawn(record)


def _need_reversible(record: RaceRecord, withdrawal: Withdrawal) -> None:
    """Raise unless the withdrawal can be reversed.

    After the start a withdrawal can be reversed if it took effect too late, or if it was entered
    after the start. The number was then on sale until the start, and nobody could reverse it.
    """
    _need_unsettled(record)
    start = record.start
    stood_at_start = start and withdrawal.entered_at < start.actual_start_at
    if stood_at_start and record.in_time(withdrawal.effective_at):
        raise WithdrawalIrreversible(race=record.race_id, number=withdrawal.number)


def is_reversible(record: RaceRecord, withdrawal: Withdrawal) -> bool:
    """Return whether nothing in the race's record keeps a withdrawal from being reversed now."""
    try:
        _need_reversible(record, withdrawal)
    except Conflict:
        return False
    return True


def _confirmed(proposal: Proposal, by: StaffActor) -> None:
    withdrawal = Withdrawal.objects.select_related("race").get(proposal=proposal)
    record = race_hold(withdrawal.race)
    if not record.in_time(withdrawal.effective_at):
        raise WithdrawalTooLate(race=record.race_id, number=withdrawal.number)
    Withdrawal.objects.filter(pk=withdrawal.pk).update(confirmed_at=clock.now())


def _rejected(proposal: Proposal, by: StaffActor) -> None:
    withdrawal = Withdrawal.objects.select_related("race").get(proposal=proposal)
    _need_reversible(race_hold(withdrawal.race), withdrawal)
    reason = Decision.objects.get(proposal=proposal).reason
    Withdrawal.objects.filter(pk=withdrawal.pk).update(
        reversed_at=clock.now(), reversed_reason=reason
    )


def _reversed(proposal: Proposal, by: StaffActor) -> None:
    withdrawal = _standing(proposal.content["withdrawal"])
    _need_reversible(race_hold(withdrawal.race), withdrawal)
    Withdrawal.objects.filter(pk=withdrawal.pk).update(
        reversed_at=clock.now(), reversed_reason=proposal.content["reason"], reversal=proposal
    )


WITHDRAWAL = two_persons.Kind(
    "lototrot.withdrawal", powers.WITHDRAW, apply=_confirmed, reject=_rejected, good_for=None
)
REVERSAL = two_persons.Kind("lototrot.withdrawal_reversal", powers.WITHDRAW, apply=_reversed)
