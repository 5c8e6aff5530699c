"""Deposits: documents taken in for checking, matched, and decided upon (14.III.10.5) [C5, C7]."""

import uuid
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from django.db import transaction
from django.utils.crypto import salted_hmac

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.days import natural_day
from core.kernel.errors import Conflict, Invalid, NotFound
from core.ledger import services as ledger
from core.payoffice import judging, postings, powers
from core.payoffice.models import Claim, Deposit, DepositImage, DepositMatch, Ruling
from core.payoffice.refusals import MoneyHeld, NoPrize, RequestUuidReused
from core.payoffice.services import finding, personal_data
from core.payoffice.services.cash import cash_session_of
from core.payoffice.services.cheques import ReasonNeeded
from core.payoffice.services.presenting import acted_by, claim_hold, claim_open
from core.payoffice.sources import Payable
from core.premises.access import BareTerminal, Capability, TerminalActor
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal

MOST_IMAGES = 10
MOST_IMAGE_BYTES = 3 * 1024 * 1024
_MAGIC = {"image/jpeg": b"\xff\xd8\xff", "image/png": b"\x89PNG\r\n\x1a\n"}


class DepositUnknown(NotFound):
    code = "deposit_unknown"
    message = "There is no such deposit."


class DepositMatched(Conflict):
    code = "deposit_matched"
    message = "The deposit, or the document, is matched already."


class DepositRuled(Conflict):
    code = "deposit_ruled"
    message = "Two persons have decided about this already."


class PeriodRunning(Conflict):
    code = "period_running"
    message = "It is decided after the period of payment, not before (14.III.10.5)."


class ImageRefused(Invalid):
    code = "image_refused"
    message = "An image is a JPEG or PNG of at most 3 MB, and a deposit has at most ten."


class CodeUnreadable(Invalid):
    code = "code_unreadable"
    message = "Only a document whose code cannot be read is deposited without its code."


class NotHeld(Conflict):
    code = "not_held"
    message = "The document is not held apart: there is nothing to decide."


@dataclass(frozen=True, slots=True)
class DepositRequest:
    """What is taken in. `uuid` is made before the first try; `code` is there if it was read."""

    uuid: uuid.UUID
    reason: str
    notes: str = ""
    code: str = field(default="", repr=False)

    def digest(self) -> bytes:
        """A keyed digest of the content, by which a retry is told from a reuse of the UUID."""
        text = "\n".join((self.reason, self.notes, "".join(self.code.split()).upper()))
        return salted_hmac("core.payoffice.deposit", text, algorithm="sha256").digest()


@transaction.atomic
def deposit_take(*, at: TerminalActor | StaffActor, request: DepositRequest) -> Deposit:
    """Take a document in, against a receipt; the same request again gives the same deposit.

    Where its code is read it is matched at once: from then on it lapses no more and is paid to
    nobody else. Raises a code's error, DocumentUnknown, CodeUnreadable, RequestUuidReused, or the
    refusal that its state brings.
    """
    if isinstance(at, StaffActor):
        at.need(powers.TAKE_DEPOSIT)
        acted = {"staff_id": at.user_id, "premises_id": cash_session_of(at).premises_id}
    else:
        at.need(Capability.DEPOSIT)
        acted = acted_by(at)
    hold((Lock.REQUEST, request.uuid.int))
    digest = request.digest()
    known = Deposit.objects.filter(uuid=request.uuid).first()
    if known is not None:
        if bytes(known.request_digest) != digest:
            raise RequestUuidReused
        return known
    if bool(request.code) == (request.reason == Deposit.Reason.UNREADABLE):
        raise CodeUnreadable
    made: Deposit = Deposit.objects.create(
        uuid=request.uuid,
        request_digest=digest,
        reason=request.reason,
        notes=request.notes,
        deposited_at=clock.now(),
        **acted,
    )
    if request.code:
        _match(made, finding.by_code(request.code), staff_id=None, evidence="")
    return made


@transaction.atomic
def deposit_match(
    *, by: StaffActor, deposit: uuid.UUID, game: str, document: uuid.UUID, evidence: str
) -> DepositMatch:
    """Say, from the records, which document an unreadable one is; with the evidence for it.

    Raises DepositUnknown, DocumentUnknown, DepositMatched, DepositRuled, ReasonNeeded, or the
    refusal that its state brings.
    """
    by.need(powers.MATCH_DEPOSIT)
    found = deposit_get(deposit)
    if not evidence.strip():
        raise ReasonNeeded
    payable = finding.by_uuid(game, document)
    return _match(found, payable, staff_id=by.user_id, evidence=evidence)


def _match(
    deposit: Deposit, payable: Payable, *, staff_id: int | None, evidence: str
) -> DepositMatch:
    if hasattr(deposit, "match"):
        raise DepositMatched
    if hasattr(deposit, "ruling"):
        raise DepositRuled
    claim = claim_open(payable, Claim.State.HELD)
    if claim is not None:
        claim_hold(payable, uuid.uuid5(deposit.uuid, "payoffice.match"))
    else:
        claim = _held_already(payable)
    made: DepositMatch = DepositMatch.objects.create(
        deposit=deposit, claim=claim, staff_id=staff_id, evidence=evidence, matched_at=clock.now()
    )
    return made


def _held_already(payable: Payable) -> Claim:
    """The claim of a document presented or blocked before it was deposited, now held."""
    claim = finding.claim_of(payable)
    if claim is None:
        raise NoPrize
    if finding.is_deposited(claim):
        raise DepositMatched
    if claim.state == Claim.State.PRESENTED:
        moved = Claim.objects.filter(pk=claim.pk, state=Claim.State.PRESENTED).update(
            state=Claim.State.HELD, changed_at=clock.now()
        )
        if not moved:
            raise MoneyHeld
        claim.refresh_from_db()
    elif claim.state != Claim.State.HELD:
        state = judging.state_of(payable, claim.state, deposited=False, today=date.max)
        judging.need_claimable(state)
        raise DepositRuled
    return claim


@transaction.atomic
def image_add(
    *, at: TerminalActor | StaffActor, deposit: uuid.UUID, media_type: str, content: bytes
) -> DepositImage:
    """Add a photograph, encrypted. Raises DepositUnknown, ImageRefused."""
    found = deposit_get(deposit)
    if isinstance(at, StaffActor):
        at.need(powers.TAKE_DEPOSIT)
    else:
        at.need(Capability.DEPOSIT)
        if found.premises_id != at.premises_id:
            raise DepositUnknown
    right = media_type in _MAGIC and content.startswith(_MAGIC[media_type])
    if not right or len(content) > MOST_IMAGE_BYTES or found.images.count() >= MOST_IMAGES:
        raise ImageRefused
    return personal_data.image_encrypt(deposit_id=found.pk, media_type=media_type, content=content)


def image_read(*, by: StaffActor, image: uuid.UUID) -> tuple[str, bytes]:
    """A photograph: its kind and its bytes. Raises DepositUnknown, Erased."""
    by.need(powers.SEE_DEPOSIT)
    found = DepositImage.objects.filter(uuid=image).first()
    if found is None:
        raise DepositUnknown
    return found.media_type, personal_data.image_decrypt(found)


def deposit_get(ident: uuid.UUID) -> Deposit:
    """Raises DepositUnknown."""
    found = Deposit.objects.select_related("premises").filter(uuid=ident).first()
    if found is None:
        raise DepositUnknown
    return found


def deposit_seen(*, at: StaffActor | BareTerminal, ident: uuid.UUID) -> Deposit:
    """A deposit, for the office or the premises that took it. Raises DepositUnknown."""
    found = deposit_get(ident)
    if isinstance(at, StaffActor):
        at.need(powers.TAKE_DEPOSIT)
    elif found.premises_id != at.premises_id:
        raise DepositUnknown
    return found


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
    """Propose to pay what is held, or to refuse it; a second person decides [C5, C6].

    Of a deposit (one never matched can only be refused, and ends), or of a blocked document. Not
    before the period of payment has passed. Raises DepositUnknown, DocumentUnknown, NotHeld,
    PeriodRunning, DepositRuled, ReasonNeeded.
    """
    by.need(powers.RULE_ON_DEPOSIT)
    if not reason.strip():
        raise ReasonNeeded
    content: two_persons.Content = {"verdict": verdict, "reason": reason}
    if deposit is not None:
        found = deposit_get(deposit)
        content["deposit"] = str(deposit)
        match = DepositMatch.objects.select_related("claim").filter(deposit=found).first()
        if match is None:
            _need_unmatched(found, verdict)
            return two_persons.propose(
                kind=RULING, subject=f"deposit:{deposit}", by=by, content=content
            )
        claim, payable = match.claim, finding.by_claim(match.claim)
    else:
        payable = finding.by_uuid(game, document) if document else _no_document()
        known = finding.claim_of(payable)
        if known is None:
            raise NotHeld
        claim = known
    _need_rulable(claim, payable)
    content |= {
        "game": payable.game,
        "document": str(payable.uuid),
        "claim": claim.pk,
        "amount_cents": claim.amount_cents,
    }
    return two_persons.propose(
        kind=RULING, subject=f"{payable.game}:{payable.uuid}", by=by, content=content
    )


def _no_document() -> Payable:
    raise DepositUnknown


def _need_unmatched(deposit: Deposit, verdict: str) -> None:
    if hasattr(deposit, "ruling"):
        raise DepositRuled
    if verdict != Ruling.Verdict.REFUSED:
        raise NotHeld


def _need_rulable(claim: Claim, payable: Payable) -> None:
    if claim.state in (Claim.State.GRANTED, Claim.State.REFUSED):
        raise DepositRuled
    if claim.state != Claim.State.HELD:
        raise NotHeld
    today = natural_day(clock.now())
    if payable.last_claim_day is not None and today <= payable.last_claim_day:
        raise PeriodRunning(last_claim_day=payable.last_claim_day.isoformat())


def _ruled(proposal: Proposal, by: StaffActor) -> None:
    """Grant: it may be paid, whenever. Refuse: the money goes where the game sends it [C5]."""
    content, now = proposal.content, clock.now()
    deposit = None
    if content.get("deposit"):
        deposit = deposit_get(uuid.UUID(content["deposit"]))
    if "claim" not in content:
        if hasattr(deposit, "match"):
            raise DepositMatched
        _rule(proposal, now, deposit=deposit)
        return
    claim = Claim.objects.select_for_update(no_key=True).get(pk=content["claim"])
    payable = finding.by_claim(claim)
    _need_rulable(claim, payable)
    _rule(proposal, now, claim=claim, deposit=deposit)
    claim.state, claim.changed_at = content["verdict"], now
    if claim.state == Claim.State.REFUSED:
        claim.day = natural_day(now)
        to = finding.source_of(payable).forfeits_to(payable, claim.day)
        if payable.held is None:
            raise NotHeld
        line = postings.refusal(held=payable.held, forfeits_to=to, cents=claim.amount_cents)
        ledger.post(reference=proposal.uuid, lines=[line])
    claim.save(update_fields=["state", "changed_at", "day"])


def _rule(proposal: Proposal, now: datetime, **what: Any) -> None:
    content = proposal.content
    Ruling.objects.create(
        verdict=content["verdict"],
        reason=content["reason"],
        proposal=proposal,
        decided_at=now,
        **what,
    )


@dataclass(frozen=True, slots=True)
class Waiting:
    """A deposit, matched or not, or a blocked document that waits for a decision since a day."""

    deposit: uuid.UUID | None
    game: str
    document: uuid.UUID | None
    amount_cents: int
    since: date


def rulings_due(today: date) -> list[Waiting]:
    """Everything held whose period is over, and deposits never matched, oldest first."""
    held = Claim.objects.filter(state=Claim.State.HELD).select_related("deposit_match__deposit")
    due = []
    for claim in held.order_by("opened_at"):
        payable = finding.by_claim(claim)
        if payable.last_claim_day is None or payable.last_claim_day < today:
            deposit = claim.deposit_match.deposit.uuid if finding.is_deposited(claim) else None
            since = natural_day(claim.changed_at or claim.opened_at)
            due.append(Waiting(deposit, claim.game, payable.uuid, claim.amount_cents, since))
    lost = Deposit.objects.filter(match=None, ruling=None).order_by("deposited_at")
    due += [Waiting(each.uuid, "", None, 0, natural_day(each.deposited_at)) for each in lost]
    return due


RULING = two_persons.Kind("payoffice.ruling", powers.RULE_ON_DEPOSIT, apply=_ruled)
