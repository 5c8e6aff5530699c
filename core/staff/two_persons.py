"""Carry out acts of two persons: one person proposes, and a second one confirms.

Each app lists its kinds of such acts in its `proposals.py`, as one constant `KINDS`. The database
refuses a confirmation by the same person, in the same session, or by a person whose account was
given anything shortly before. It also refuses to confirm a proposal that has lapsed. A proposal
lapses with time, and when its proposer's account is closed or given anything.
"""

import dataclasses
import datetime
import enum
import hashlib
import uuid
from collections.abc import Callable, Iterable
from functools import cache
from itertools import chain
from typing import Any

from django.db import transaction

from core.contributions import contributions
from core.database import clock
from core.database.clock import row_uuid
from core.database.locks import Lock, hold
from core.kernel.canonical import canonical_sha256
from core.kernel.errors import Conflict, DomainError, Forbidden, NotFound
from core.staff.actor import StaffActor
from core.staff.models import Decision, Proposal
from core.staff.powers import holders

Content = dict[str, Any]
A_DAY = datetime.timedelta(days=1)
CONFIRMING = "staff.confirm"
"""The kind of long work that confirms a proposal."""
A_WEEK = datetime.timedelta(days=7)  # for what is decided on paper by people who meet seldom


class ProposalUnknown(NotFound):
    code = "proposal_unknown"
    message = "There is no such proposal."


class ProposalDecided(Conflict):
    code = "proposal_decided"
    message = "This proposal has already been decided."


class SamePerson(Forbidden):
    code = "same_person"
    message = "A second person must confirm: not the proposer, and not in the same session."


class ProposalPending(Conflict):
    code = "proposal_pending"
    message = "The same act is already proposed and waits for a decision."


class ProposalOld(Conflict):
    code = "proposal_old"
    message = "The proposal is too old to be confirmed; reject it, or propose it again."


class ProposerChanged(Conflict):
    code = "proposer_changed"
    message = (
        "The proposer's account was closed or changed since, or has lost the power; reject the"
        " proposal, or propose it again."
    )


class SecondPersonTooNew(Forbidden):
    code = "second_person_too_new"
    message = (
        "Your account was opened, opened again, or given roles, a password or a new device a short"
        " time ago. Until the time stated here you cannot be a second person, or give power to"
        " others."
    )


class Lapse(enum.StrEnum):
    """A reason for which a proposal can no longer be confirmed."""

    OLD = "old"
    PROPOSER = "proposer_changed"


_REFUSALS = {Lapse.OLD: ProposalOld, Lapse.PROPOSER: ProposerChanged}


@dataclasses.dataclass(frozen=True, slots=True)
class Kind:
    """A kind of two-person act: the powers it needs, and its effects when confirmed and rejected.

    `power` is the power of the person who proposes. `second` is the power of the person who
    decides, by default the same one. A proposal lapses `good_for` after it was made, or when its
    proposer's account is closed or is given anything. `good_for` is None for an act that is in
    force from its proposal on, such as a stop of sales. Such a proposal never lapses: it is decided
    however late, and nobody ends it by closing an account. `gives_power` refuses a proposer with a
    new account: the person who opened that account may use it, and would confirm with their own.
    A `long` act is done as long work (`core.longwork`), outside the request. `need_rejectable`
    raises an error if this person may not reject the proposal. It is called before anything is
    written, because the database would refuse the write. `rejection_refusals` are the errors of a
    rejection. `failed` is called with the error of an act that was refused, once all of it is
    undone, in a transaction of its own (so not in long work). It is not called where the person may
    not confirm. If it fails, its error is raised instead; the proposal waits, and confirming it
    again does both again.
    """

    name: str
    power: str
    apply: Callable[[Proposal, StaffActor], None]
    reject: Callable[[Proposal, StaffActor], None] | None = None
    second: str = ""
    good_for: datetime.timedelta | None = A_DAY
    gives_power: bool = False
    long: bool = False
    need_rejectable: Callable[[Proposal, StaffActor], None] | None = None
    rejection_refusals: tuple[type[DomainError], ...] = ()
    failed: Callable[[Proposal, DomainError], None] | None = None

    @property
    def decides(self) -> str:
        """Return the power that a decision needs."""
        return self.second or self.power


@cache
def kinds() -> dict[str, Kind]:
    """Return the kinds of every app by name. Raise ValueError if two have the same name."""
    by_name: dict[str, Kind] = {}
    for kind in chain.from_iterable(contributions("proposals", "KINDS")):
        if by_name.setdefault(kind.name, kind) is not kind:
            raise ValueError(f"two kinds of proposals have the name {kind.name!r}")
    return by_name


def rejection_refusals() -> tuple[type[DomainError], ...]:
    """Return what the kinds of every app refuse a rejection with."""
    return tuple(chain.from_iterable(kind.rejection_refusals for kind in kinds().values()))


def proposal_of(ident: uuid.UUID) -> Proposal:
    """Return the proposal with a UUID. Raises ProposalUnknown."""
    proposal = Proposal.objects.filter(uuid=ident).first()
    if proposal is None:
        raise ProposalUnknown
    return proposal


def is_long(proposal: Proposal) -> bool:
    """Return whether confirming the proposal takes longer than a request should."""
    kind = kinds().get(proposal.kind)
    return kind is not None and kind.long


def need_confirmable(*, proposal: uuid.UUID, by: StaffActor) -> bool:
    """Return whether the person may confirm the proposal now; False if they have done it already.

    Nothing is decided. Raises what `confirm` raises before the act.
    """
    row = proposal_of(proposal)
    by.need(kinds()[row.kind].decides)
    return not _decided(row, Decision.Verdict.CONFIRMED, by)


def power_of(proposal: Proposal) -> str:
    """Return the power that a decision on the proposal needs; "" if its kind no longer exists."""
    kind = kinds().get(proposal.kind)
    return kind.decides if kind else ""


def lapse_of(proposal: Proposal, now: datetime.datetime) -> Lapse | None:
    """Return why a proposal that waits can no longer be confirmed, or None."""
    if proposal.good_until is None:
        return None
    kind, proposer = kinds().get(proposal.kind), proposal.proposed_by
    if kind is None or proposal.good_until < now:
        return Lapse.OLD
    decided_at = proposer.given.decision.decided_at if proposer.given else None
    has_power = proposer.is_active and bool(holders(kind.power) & frozenset(proposer.roles))
    if not has_power or (decided_at and decided_at > proposal.proposed_at):
        return Lapse.PROPOSER
    return None


def may_be_second(by: StaffActor, now: datetime.datetime) -> bool:
    """Return whether the person's account is old enough as it is."""
    return by.second_from is None or by.second_from <= now


def need_second(by: StaffActor) -> None:
    """Raise SecondPersonTooNew if the person's account was given anything shortly before."""
    if not may_be_second(by, clock.now()):
        assert by.second_from is not None  # noqa: S101  (or they may)
        raise SecondPersonTooNew(until=by.second_from.isoformat())


def pending(*, kind: Kind, subject: str) -> Proposal | None:
    """Return the proposal of the same act that waits and can still be confirmed, or None."""
    return all_pending([subject]).get((kind.name, subject))


def all_pending(subjects: Iterable[str]) -> dict[tuple[str, str], Proposal]:
    """Return the proposals on these subjects that wait and can still be confirmed, by the name of
    their kind and their subject.
    """
    same = Proposal.objects.filter(subject__in=list(subjects), decision=None).order_by("-pk")
    waiting = list(same.select_related("proposed_by__given__decision"))
    now = clock.now() if waiting else None
    first = {(each.kind, each.subject): each for each in waiting}
    return {key: each for key, each in first.items() if now and not lapse_of(each, now)}


def need_none_pending(*, kind: Kind, subject: str) -> None:
    """Raise ProposalPending if the same act is proposed and can still be confirmed."""
    if pending(kind=kind, subject=subject) is not None:
        raise ProposalPending(subject=subject, kind=kind.name)


@transaction.atomic
def propose(
    *,
    kind: Kind,
    subject: str,
    content: Content,
    by: StaffActor,
    replaces: uuid.UUID | None = None,
) -> Proposal:
    """Record that `by` proposes an act. The caller has checked that it can be carried out now.

    A proposal of the same kind on this subject that has lapsed is rejected. So is `replaces`, a
    proposal that still waits and that this one corrects. Raises PowerMissing, SecondPersonTooNew,
    ProposalPending if one waits that can be confirmed, and ProposalUnknown or ProposalDecided for
    `replaces`.
    """
    by.need(kind.power)
    if kind.gives_power:
        need_second(by)
    corrected = proposal_of(replaces) if replaces else None
    # Subjects before proposals, as an act that renews a lapsed proposal takes them.
    _hold_subjects({subject, corrected.subject} if corrected else {subject})
    if corrected:
        reject(proposal=corrected.uuid, by=by, reason="It is corrected, and proposed again.")
    waiting = Proposal.objects.filter(kind=kind.name, subject=subject, decision=None).first()
    now = clock.now()
    if waiting is not None:
        if not lapse_of(waiting, now):
            raise ProposalPending(subject=subject, kind=kind.name)
        reject(proposal=waiting.uuid, by=by, reason="It has lapsed, and is proposed again.")
    return Proposal.objects.create(
        uuid=row_uuid(now),
        kind=kind.name,
        subject=subject,
        content=content,
        content_digest=canonical_sha256(content),
        proposed_by_id=by.user_id,
        proposed_in_id=by.session_id,
        proposed_at=now,
        good_until=now + kind.good_for if kind.good_for else None,
    )


def _hold_subjects(subjects: set[str]) -> None:
    digests = [hashlib.sha256(subject.encode()).digest() for subject in subjects]
    hold(*((Lock.PROPOSAL, int.from_bytes(digest[:4], "big")) for digest in digests))


def confirm(*, proposal: uuid.UUID, by: StaffActor) -> Proposal:
    """Confirm a proposal and carry it out in one transaction.

    A repeated confirmation by the same person changes nothing. Raises ProposalUnknown,
    PowerMissing, SamePerson, SecondPersonTooNew, ProposalDecided, ProposalOld, ProposerChanged, and
    the errors of the act.
    """
    decided = None
    try:
        with transaction.atomic():
            decided, is_new = _decide(proposal, Decision.Verdict.CONFIRMED, by, "")
            if is_new:
                kinds()[decided.kind].apply(decided, by)
    except DomainError as error:
        if decided and (failed := kinds()[decided.kind].failed):
            with transaction.atomic(durable=True):
                failed(decided, error)
        raise
    return decided


@transaction.atomic
def reject(*, proposal: uuid.UUID, by: StaffActor, reason: str = "") -> Proposal:
    """Reject a proposal. The proposer may reject it, too, which withdraws it.

    Each person who may propose the same may reject one that has lapsed. A repeated rejection by
    the same person changes nothing. Raises ProposalUnknown, PowerMissing, ProposalDecided, and the
    errors of the kind.
    """
    decided, is_new = _decide(proposal, Decision.Verdict.REJECTED, by, reason)
    effect = kinds()[decided.kind].reject
    if is_new and effect is not None:
        effect(decided, by)
    return decided


def _decide(
    ident: uuid.UUID, verdict: Decision.Verdict, by: StaffActor, reason: str
) -> tuple[Proposal, bool]:
    """Record the decision. Return the proposal, and whether the decision is new. Needs a
    transaction, in which its effect follows.
    """
    proposal = proposal_of(ident)
    kind = kinds()[proposal.kind]
    is_proposer = _is_proposer(proposal, by)
    is_over = verdict == Decision.Verdict.REJECTED and lapse_of(proposal, clock.now()) is not None
    as_first = is_proposer or (is_over and by.may(kind.power))
    by.need(kind.power if as_first else kind.decides)
    hold((Lock.PROPOSAL, proposal.pk))
    if _decided(proposal, verdict, by):
        return proposal, False
    if verdict == Decision.Verdict.REJECTED and kind.need_rejectable is not None:
        kind.need_rejectable(proposal, by)
    Decision.objects.create(
        proposal=proposal,
        verdict=verdict,
        decided_by_id=by.user_id,
        decided_in_id=by.session_id,
        decided_at=clock.now(),
        reason=reason,
    )
    return proposal, True


def _is_proposer(proposal: Proposal, by: StaffActor) -> bool:
    return by.user_id == proposal.proposed_by_id or by.session_id == proposal.proposed_in_id


def _decided(proposal: Proposal, verdict: Decision.Verdict, by: StaffActor) -> bool:
    """Return whether this person has decided so already; False if they may decide so now.

    Raises ProposalDecided, SamePerson, SecondPersonTooNew, ProposalOld, ProposerChanged.
    """
    earlier = Decision.objects.filter(proposal=proposal).first()
    if earlier is not None:
        if earlier.verdict == verdict and earlier.decided_by_id == by.user_id:
            return True
        raise ProposalDecided(verdict=earlier.verdict)
    if verdict == Decision.Verdict.CONFIRMED:
        _need_confirmable(proposal, by, is_proposer=_is_proposer(proposal, by))
    return False


def _need_confirmable(proposal: Proposal, by: StaffActor, *, is_proposer: bool) -> None:
    """Raise SamePerson, SecondPersonTooNew, ProposalOld or ProposerChanged."""
    if is_proposer:
        raise SamePerson
    need_second(by)
    lapse = lapse_of(proposal, clock.now())
    if lapse is not None:
        raise _REFUSALS[lapse](
            proposed_at=proposal.proposed_at.isoformat(),
            until=proposal.good_until.isoformat() if proposal.good_until else None,
        )
