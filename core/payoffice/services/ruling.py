"""Rule on what is held after the period of payment, by two persons (14.III.10.5) [C5, C6]."""

import uuid
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db import transaction

from core.database import clock
from core.kernel.days import natural_day
from core.kernel.errors import Conflict
from core.ledger import services as ledger
from core.payoffice import postings, powers
from core.payoffice.models import Claim, Deposit, DepositMatch, Presentation, Ruling
from core.payoffice.services import finding
from core.payoffice.services.cheques import ReasonNeeded
from core.payoffice.services.matching import (
    DepositMatched,
    DepositRuled,
    DepositUnknown,
    deposit_get,
    deposit_held,
)
from core.payoffice.sources import Nature, Payable
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal


class PeriodRunning(Conflict):
    code = "period_running"
    message = "This can be decided only after the period of payment has ended (14.III.10.5)."


class OtherDepositFirst(Conflict):
    code = "other_deposit_first"
    message = "Another paper was matched with this document before: decide about that one first."


class RulingOutdated(Conflict):
    code = "ruling_outdated"
    message = (
        "The document was blocked, presented or deposited after this was proposed: look at it"
        " again, and propose it again."
    )


class NotHeld(Conflict):
    code = "not_held"
    message = "The document is not held: there is nothing to decide."


@transaction.atomic
def ruling_propose(
    *,
    by: StaffActor,
    verdict: str,
    reason: str,
    deposit: uuid.UUID | None = None,
    game: str = "",
    document: uuid.UUID | None = None,
) -> Proposal:
    """Propose to grant or refuse what is held; a second person decides [C5, C6].

    The ruling is about a deposit or a blocked document, after the period of payment. A deposit that
    was not matched can only be refused, which ends it. Raises DepositUnknown, DocumentUnknown,
    NotHeld, PeriodRunning, DepositRuled, OtherDepositFirst, ReasonNeeded.
    """
    by.need(powers.RULE_ON_DEPOSIT)
    if not reason.strip():
        raise ReasonNeeded
    content: two_persons.Content = {"verdict": verdict, "reason": reason}
    if deposit is not None:
        row = deposit_get(deposit)
        content["deposit"] = str(deposit)
        match = DepositMatch.objects.select_related("claim").filter(deposit=row).first()
        if match is None:
            _need_unmatched(row, verdict)
            return two_persons.propose(
                kind=RULING, subject=f"deposit:{deposit}", by=by, content=content
            )
        claim, payable = match.claim, finding.by_claim(match.claim)
        _need_its_turn(match)
    elif document is None:
        raise DepositUnknown
    else:
        payable = finding.by_uuid(game, document)
        existing = finding.claim_of(payable)
        if existing is None:
            raise NotHeld
        claim = existing
    _need_rulable(claim, payable)
    content |= {
        "game": payable.game,
        "document": str(payable.uuid),
        "claim": claim.pk,
        "amount_cents": claim.amount_cents,
        **_facts(claim, payable),
    }
    return two_persons.propose(
        kind=RULING, subject=f"{payable.game}:{payable.uuid}", by=by, content=content
    )


def _need_unmatched(deposit: Deposit, verdict: str) -> None:
    if hasattr(deposit, "ruling"):
        raise DepositRuled
    if verdict != Ruling.Verdict.REFUSED:
        raise NotHeld


def _need_its_turn(match: DepositMatch) -> None:
    """Raise unless this deposit is the one of its claim that two persons decide about now [C5]."""
    if match.claim.state != Claim.State.HELD:
        return
    standing = finding.standing_match(match.claim)
    if hasattr(match.deposit, "ruling"):
        raise DepositRuled
    if standing is not None and standing.pk != match.pk:
        raise OtherDepositFirst(deposit=str(standing.deposit.uuid))


def _facts(claim: Claim, payable: Payable) -> two_persons.Content:
    """Return what two persons must know of a held document, as a part of the proposal."""
    return {
        "blocked": finding.source_of(payable).is_blocked(payable.document_id),
        "presented": Presentation.objects.filter(claim=claim).exists(),
        "deposits": claim.deposit_matches.count(),
    }


def _need_rulable(claim: Claim, payable: Payable) -> None:
    if claim.state in (Claim.State.GRANTED, Claim.State.REFUSED):
        raise DepositRuled
    if claim.state != Claim.State.HELD:
        raise NotHeld
    today = natural_day(clock.now())
    if payable.last_claim_day is not None and today <= payable.last_claim_day:
        raise PeriodRunning(last_claim_day=payable.last_claim_day.isoformat())


def _ruling_apply(proposal: Proposal, by: StaffActor) -> None:
    """Apply a confirmed ruling to its claim or its deposit.

    A granted claim may be paid on any later day. The money of a refused one goes where the game
    sends it. A paper that was matched from the records is refused alone where the claim is
    another's [C5]: who presented the document is then paid, and about a document that was deposited
    itself two persons decide next. Raises RulingOutdated if the document was blocked, presented or
    deposited since it was proposed.
    """
    content, now = proposal.content, clock.now()
    deposit = None
    if content.get("deposit"):
        deposit = deposit_held(uuid.UUID(content["deposit"]))
    if "claim" not in content:
        if hasattr(deposit, "match"):
            raise DepositMatched
        _ruling_record(proposal, now, deposit=deposit)
        return
    claim = Claim.objects.select_for_update(no_key=True).get(pk=content["claim"])
    payable = finding.by_claim(claim)
    _need_rulable(claim, payable)
    if deposit is not None:
        _need_its_turn(deposit.match)
    facts = _facts(claim, payable)
    if facts != {name: content[name] for name in facts}:
        raise RulingOutdated(**facts)
    match = finding.standing_match(claim)
    refused = content["verdict"] == Ruling.Verdict.REFUSED
    if refused and match is not None and _is_of_another(match, payable):
        _ruling_record(proposal, now, deposit=match.deposit)
        if finding.standing_match(claim) is None:
            claim.state, claim.changed_at = Claim.State.PRESENTED, now
            claim.save(update_fields=["state", "changed_at"])
        return
    _ruling_record(proposal, now, claim=claim, deposit=deposit)
    claim.state, claim.changed_at = content["verdict"], now
    if refused:
        claim.day = natural_day(now)
        to = finding.source_of(payable).forfeits_to(payable, claim.day)
        if payable.held is None:
            raise NotHeld
        line = postings.refusal(held=payable.held, forfeits_to=to, cents=claim.amount_cents)
        ledger.post(reference=proposal.uuid, lines=[line])
    claim.save(update_fields=["state", "changed_at", "day"])


def _is_of_another(match: DepositMatch, payable: Payable) -> bool:
    """Return whether a deposit was only matched from the records, and its claim is another's.

    It is of who presented or deposited the document, or of the bearer of a price due back, who may
    come on any day. A blocked document is refused with the deposit.
    """
    if match.staff_id is None or finding.source_of(payable).is_blocked(payable.document_id):
        return False
    came = Presentation.objects.filter(claim=match.claim).exists()
    beside = match.claim.deposit_matches.filter(staff=None).exists()
    return came or beside or payable.nature is Nature.REFUND


def _ruling_record(proposal: Proposal, now: datetime, **subject: Any) -> None:
    content = proposal.content
    Ruling.objects.create(
        verdict=content["verdict"],
        reason=content["reason"],
        proposal=proposal,
        decided_at=now,
        **subject,
    )


@dataclass(frozen=True, slots=True)
class Waiting:
    """A deposit or a blocked document that has waited for a ruling since a day.

    `deposit` is None for a blocked document, `document` None for a deposit that was not matched.
    """

    deposit: uuid.UUID | None
    game: str
    document: uuid.UUID | None
    amount_cents: int
    since: date


def rulings_due(today: date) -> list[Waiting]:
    """Return what waits for a ruling, oldest first.

    Held claims come first, once their period of payment is over; then deposits not matched.
    """
    held = Claim.objects.filter(state=Claim.State.HELD)
    due = []
    for claim in held.order_by("opened_at"):
        payable = finding.by_claim(claim)
        if payable.last_claim_day is None or payable.last_claim_day < today:
            match = finding.standing_match(claim)
            deposit = match.deposit.uuid if match else None
            since = natural_day(claim.changed_at or claim.opened_at)
            due.append(Waiting(deposit, claim.game, payable.uuid, claim.amount_cents, since))
    unmatched = Deposit.objects.filter(match=None, ruling=None).order_by("deposited_at")
    for row in unmatched:
        due.append(Waiting(row.uuid, "", None, 0, natural_day(row.deposited_at)))
    return due


RULING = two_persons.Kind("payoffice.ruling", powers.RULE_ON_DEPOSIT, apply=_ruling_apply)
