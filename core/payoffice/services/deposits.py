"""Take documents in for examination, and rule on them (14.III.10.5) [C5, C7]."""

import uuid
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from django.db import transaction
from django.utils.crypto import salted_hmac

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.days import natural_day
from core.kernel.errors import Conflict, Invalid
from core.ledger import services as ledger
from core.looks.recording import look_at_row
from core.payoffice import postings, powers
from core.payoffice.models import (
    Claim,
    Deposit,
    DepositArrival,
    DepositImage,
    DepositMatch,
    Presentation,
    Ruling,
)
from core.payoffice.refusals import RequestUuidReused
from core.payoffice.services import finding, personal_data
from core.payoffice.services.cash import cash_session_of, office_get
from core.payoffice.services.cheques import ReasonNeeded
from core.payoffice.services.matching import (
    DepositMatched,
    DepositRuled,
    DepositUnknown,
    deposit_get,
    deposit_held,
    match_record,
)
from core.payoffice.services.presenting import acted_by
from core.payoffice.sources import Nature, Payable
from core.premises.access import BareTerminal, Capability, TerminalActor
from core.premises.requests import need_new
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal

_CALLER = ("terminal_id", "staff_id")
MOST_IMAGES = 10
MOST_IMAGE_BYTES = 3 * 1024 * 1024
_MAGIC = {"image/jpeg": b"\xff\xd8\xff", "image/png": b"\x89PNG\r\n\x1a\n"}


class PeriodRunning(Conflict):
    code = "period_running"
    message = "This can be decided only after the period of payment has ended (14.III.10.5)."


class ImageRefused(Invalid):
    code = "image_refused"
    message = "An image is a JPEG or PNG of at most 3 MB, and a deposit has at most ten."


class CodeUnreadable(Invalid):
    code = "code_unreadable"
    message = "Only a document whose code cannot be read is deposited without its code."


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


@dataclass(frozen=True, slots=True)
class DepositRequest:
    """A request to deposit a document.

    The client makes `uuid` before its first attempt. `code` is empty where it cannot be read.
    """

    uuid: uuid.UUID
    reason: str
    notes: str = ""
    code: str = field(default="", repr=False)

    def digest(self) -> bytes:
        """Return a keyed digest of the content; it tells a retry from a reuse of the UUID."""
        text = "\n".join((self.reason, self.notes, "".join(self.code.split()).upper()))
        return salted_hmac("core.payoffice.deposit", text, algorithm="sha256").digest()


@transaction.atomic
def deposit_take(*, at: TerminalActor | StaffActor, request: DepositRequest) -> Deposit:
    """Take a document in and return its deposit.

    The same request from the same terminal or member of staff returns the same deposit.
    A document whose code is read is matched at once: from then on it does not lapse and is paid
    only against the receipt. Raises a code's error, DocumentUnknown, CodeUnreadable,
    RequestUuidReused, or the refusal of the document's state.
    """
    if isinstance(at, StaffActor):
        at.need(powers.TAKE_DEPOSIT)
        acted = {"staff_id": at.user_id, "premises_id": cash_session_of(at).premises_id}
    else:
        at.need(Capability.DEPOSIT)
        acted = acted_by(at)
    hold((Lock.REQUEST, request.uuid.int))
    digest = request.digest()
    earlier = Deposit.objects.filter(uuid=request.uuid).first()
    if earlier is not None:
        same_caller = all(getattr(earlier, key) == acted.get(key) for key in _CALLER)
        if not same_caller or bytes(earlier.request_digest) != digest:
            raise RequestUuidReused
        return earlier
    need_new(request.uuid)
    if bool(request.code) == (request.reason == Deposit.Reason.UNREADABLE):
        raise CodeUnreadable
    deposit: Deposit = Deposit.objects.create(
        uuid=request.uuid,
        request_digest=digest,
        reason=request.reason,
        notes=request.notes,
        deposited_at=clock.now(),
        **acted,
    )
    if request.code:
        match_record(deposit, finding.by_code(request.code), staff_id=None, evidence="")
    return deposit


@transaction.atomic
def image_add(
    *, at: TerminalActor | StaffActor, deposit: uuid.UUID, media_type: str, content: bytes
) -> DepositImage:
    """Add an encrypted photograph to a deposit. Raises DepositUnknown, ImageRefused."""
    row = deposit_get(deposit)
    if isinstance(at, StaffActor):
        at.need(powers.TAKE_DEPOSIT)
    else:
        at.need(Capability.DEPOSIT)
        if row.premises_id != at.premises_id:
            raise DepositUnknown
    is_image = media_type in _MAGIC and content.startswith(_MAGIC[media_type])
    if not is_image or len(content) > MOST_IMAGE_BYTES or row.images.count() >= MOST_IMAGES:
        raise ImageRefused
    return personal_data.image_encrypt(deposit_id=row.pk, media_type=media_type, content=content)


@transaction.atomic
def deposit_arrive(*, by: StaffActor, deposit: uuid.UUID, premises: str) -> DepositArrival:
    """Record that a deposited paper is at an office now. The same arrival again changes nothing.

    Raises DepositUnknown, PremisesUnknown, NotAnOffice.
    """
    by.need(powers.TAKE_DEPOSIT)
    row = deposit_get(deposit)
    office = office_get(premises)
    hold((Lock.REQUEST, deposit.int))
    newest: DepositArrival | None = row.arrivals.order_by("-pk").first()
    if newest is not None and newest.premises_id == office.pk:
        return newest
    arrival: DepositArrival = DepositArrival.objects.create(
        deposit=row, premises=office, staff_id=by.user_id, arrived_at=clock.now()
    )
    return arrival


def image_read(*, by: StaffActor, image: uuid.UUID) -> tuple[str, bytes]:
    """Return the media type and the bytes of a photograph. Raises DepositUnknown, Erased."""
    by.need(powers.SEE_DEPOSIT)
    row = DepositImage.objects.filter(uuid=image).first()
    if row is None:
        raise DepositUnknown
    return row.media_type, personal_data.image_decrypt(row)


def deposit_seen(*, at: StaffActor | BareTerminal, ident: uuid.UUID) -> Deposit:
    """Return a deposit, for the office or the premises that took it. Raises DepositUnknown."""
    deposit = deposit_get(ident)
    if isinstance(at, StaffActor):
        at.need(powers.TAKE_DEPOSIT)
        look_at_row(deposit)
    elif deposit.premises_id != at.premises_id:
        raise DepositUnknown
    return deposit


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
