"""Match deposits with the documents that they are, also after the period (14.III.10.5) [C8]."""

import uuid
from datetime import date

from django.db import transaction

from core.database import clock
from core.database.clock import row_uuid
from core.database.locks import Lock, hold
from core.kernel.days import natural_day
from core.kernel.errors import Conflict, NotFound
from core.kernel.request_uuids import derived_uuid
from core.ledger import services as ledger
from core.payoffice import judging, postings, powers
from core.payoffice.models import Claim, Deposit, DepositMatch, Restoration
from core.payoffice.refusals import ClaimLapsed, MoneyHeld, NoPrize
from core.payoffice.services import finding
from core.payoffice.services.cheques import ReasonNeeded
from core.payoffice.services.presenting import claim_open, need_early
from core.payoffice.sources import Payable, Standing
from core.staff.actor import StaffActor


class DepositUnknown(NotFound):
    code = "deposit_unknown"
    message = "There is no such deposit."


class DepositMatched(Conflict):
    code = "deposit_matched"
    message = "The deposit, or the document, is matched already."


class DepositRuled(Conflict):
    code = "deposit_ruled"
    message = "Two persons have decided about this already."


def deposit_get(ident: uuid.UUID) -> Deposit:
    """Return a deposit. Raises DepositUnknown."""
    deposit = Deposit.objects.select_related("premises").filter(uuid=ident).first()
    if deposit is None:
        raise DepositUnknown
    return deposit


def deposit_held(ident: uuid.UUID) -> Deposit:
    """Return a deposit that nobody else takes in, matches or rules on until the transaction ends.

    Raises DepositUnknown.
    """
    hold((Lock.REQUEST, ident.int))
    return deposit_get(ident)


@transaction.atomic
def deposit_match(
    *, by: StaffActor, deposit: uuid.UUID, game: str, document: uuid.UUID, evidence: str
) -> DepositMatch:
    """Record which document an unreadable one is, with the evidence from the records.

    A document whose prize has lapsed since it was deposited gets it back [C8]. Raises
    DepositUnknown, DocumentUnknown, DepositMatched, DepositRuled, ReasonNeeded,
    ResultsNotEstablished, or the refusal of the document's state on the day of the deposit.
    """
    by.need(powers.MATCH_DEPOSIT)
    row = deposit_held(deposit)
    if not evidence.strip():
        raise ReasonNeeded
    payable = finding.by_uuid(game, document)
    return match_record(row, payable, staff_id=by.user_id, evidence=evidence)


def match_record(
    deposit: Deposit, payable: Payable, *, staff_id: int | None, evidence: str
) -> DepositMatch:
    """Match a deposit, whose lock is held, with a document, and hold its money from now on."""
    if hasattr(deposit, "match"):
        raise DepositMatched
    if hasattr(deposit, "ruling"):
        raise DepositRuled
    lapsed_day = None
    claim = claim_open(
        payable,
        Claim.State.HELD,
        reference=derived_uuid(deposit.uuid, "payoffice.match"),
        on=natural_day(deposit.deposited_at),
    )
    if claim is None:
        claim = _claim_of_another_act(payable)
        lapsed_day = claim.day
        _hold(claim, payable, deposit, by_code=staff_id is None)
    match: DepositMatch = DepositMatch.objects.create(
        deposit=deposit, claim=claim, staff_id=staff_id, evidence=evidence, matched_at=clock.now()
    )
    if lapsed_day is not None:
        _restore(match, payable, lapsed_day)
    return match


def _claim_of_another_act(payable: Payable) -> Claim:
    """Return the claim that a document has already; of two matches at once, the second waits."""
    if payable.standing is Standing.PENDING:
        need_early(payable)
    same = Claim.objects.filter(game=payable.game, document_id=payable.document_id)
    same.select_for_update(no_key=True).first()
    claim = finding.claim_of(payable)
    if claim is None:
        raise NoPrize
    return claim


def _hold(claim: Claim, payable: Payable, deposit: Deposit, *, by_code: bool) -> None:
    """Hold the claim of a document that was presented, blocked or lapsed before it was matched.

    An early claim is held when the payment order values it.
    """
    if finding.standing_match(claim) is not None:
        _need_beside(claim, payable, by_code=by_code)
        return
    if claim.deposit_matches.exists() and not by_code:
        raise DepositMatched  # two persons refused another paper from the records already
    if claim.state in Claim.UNDECIDED:
        return
    if claim.state == Claim.State.LAPSED:
        if claim.day is None or natural_day(deposit.deposited_at) > claim.day:
            raise ClaimLapsed
    elif claim.state != Claim.State.PRESENTED:
        state = judging.state_of(payable, claim.state, deposited=False, today=date.max)
        judging.need_claimable(state)
        raise DepositRuled
    moved = Claim.objects.filter(pk=claim.pk, state=claim.state).update(
        state=Claim.State.HELD, changed_at=clock.now(), day=None
    )
    if not moved:
        raise MoneyHeld
    claim.refresh_from_db()


def _need_beside(claim: Claim, payable: Payable, *, by_code: bool) -> None:
    """Raise unless the document can be deposited beside a paper that stands for it already.

    That paper was matched with the document from the records, and may be another one [C5]. Two
    persons have not decided about it yet.
    """
    waiting = claim.state in Claim.UNDECIDED
    only_from_records = not claim.deposit_matches.filter(staff=None).exists()
    over = judging.is_over(payable, natural_day(clock.now()))
    if not (by_code and waiting and only_from_records) or over:
        raise DepositMatched


def _restore(match: DepositMatch, payable: Payable, lapsed_day: date) -> Restoration:
    """Bring lapsed money back, from what lapsed or else from the organiser's own account [C8]."""
    taken_from = finding.source_of(payable).gives_back(payable, lapsed_day)
    if payable.held is None:
        raise NoPrize
    now = clock.now()
    restoration: Restoration = Restoration.objects.create(
        uuid=row_uuid(now),
        match=match,
        claim=match.claim,
        lapsed_day=lapsed_day,
        taken_from=ledger.account_open([taken_from])[taken_from.code],
        cents=match.claim.amount_cents,
        restored_at=now,
    )
    line = postings.restoration(taken_from=taken_from, held=payable.held, cents=restoration.cents)
    ledger.post(reference=restoration.uuid, lines=[line])
    return restoration
