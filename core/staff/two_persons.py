"""Carry out acts of two persons: one person proposes, and a second one confirms.

Each app lists its kinds of such acts in its `proposals.py`, as one constant `KINDS`. The database
refuses a confirmation by the same person or in the same session.
"""

import dataclasses
import hashlib
import uuid
from collections.abc import Callable
from functools import cache
from itertools import chain
from typing import Any

from django.db import transaction

from core.contributions import contributions
from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.canonical import canonical_sha256
from core.kernel.errors import Conflict, Forbidden, NotFound
from core.staff.actor import StaffActor
from core.staff.models import Decision, Proposal

Content = dict[str, Any]


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


@dataclasses.dataclass(frozen=True, slots=True)
class Kind:
    """A kind of two-person act: the powers it needs, and its effects when confirmed and rejected.

    `power` is that of the person who proposes; `second` that of the person who decides, by default
    the same.
    """

    name: str
    power: str
    apply: Callable[[Proposal, StaffActor], None]
    reject: Callable[[Proposal, StaffActor], None] | None = None
    second: str = ""

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


def power_of(proposal: Proposal) -> str:
    """Return the power that a decision on the proposal needs; "" if its kind no longer exists."""
    kind = kinds().get(proposal.kind)
    return kind.decides if kind else ""


@transaction.atomic
def propose(*, kind: Kind, subject: str, content: Content, by: StaffActor) -> Proposal:
    """Record that `by` proposes an act. The caller has checked that it can be carried out now.

    Raises PowerMissing, and ProposalPending if the same kind already waits on this subject.
    """
    by.need(kind.power)
    hold((Lock.PROPOSAL, int.from_bytes(hashlib.sha256(subject.encode()).digest()[:4], "big")))
    if Proposal.objects.filter(kind=kind.name, subject=subject, decision=None).exists():
        raise ProposalPending(subject=subject, kind=kind.name)
    return Proposal.objects.create(
        kind=kind.name,
        subject=subject,
        content=content,
        content_digest=canonical_sha256(content),
        proposed_by_id=by.user_id,
        proposed_in_id=by.session_id,
        proposed_at=clock.now(),
    )


def confirm(*, proposal: uuid.UUID, by: StaffActor) -> Proposal:
    """Confirm a proposal and carry it out in one transaction.

    A repeated confirmation by the same person changes nothing. Raises ProposalUnknown,
    PowerMissing, SamePerson, ProposalDecided, and the errors of the act.
    """
    return _decide(proposal, Decision.Verdict.CONFIRMED, by, "")


def reject(*, proposal: uuid.UUID, by: StaffActor, reason: str = "") -> Proposal:
    """Reject a proposal. The proposer may reject it, too, which withdraws it.

    A repeated rejection by the same person changes nothing. Raises ProposalUnknown, PowerMissing,
    ProposalDecided.
    """
    return _decide(proposal, Decision.Verdict.REJECTED, by, reason)


@transaction.atomic
def _decide(ident: uuid.UUID, verdict: Decision.Verdict, by: StaffActor, reason: str) -> Proposal:
    proposal = Proposal.objects.filter(uuid=ident).first()
    if proposal is None:
        raise ProposalUnknown
    kind = kinds()[proposal.kind]
    is_proposer = by.user_id == proposal.proposed_by_id or by.session_id == proposal.proposed_in_id
    by.need(kind.power if is_proposer else kind.decides)
    hold((Lock.PROPOSAL, proposal.pk))
    earlier = Decision.objects.filter(proposal=proposal).first()
    if earlier is not None:
        if earlier.verdict == verdict and earlier.decided_by_id == by.user_id:
            return proposal
        raise ProposalDecided(verdict=earlier.verdict)
    if verdict == Decision.Verdict.CONFIRMED and is_proposer:
        raise SamePerson
    Decision.objects.create(
        proposal=proposal,
        verdict=verdict,
        decided_by_id=by.user_id,
        decided_in_id=by.session_id,
        decided_at=clock.now(),
        reason=reason,
    )
    effect = kind.apply if verdict == Decision.Verdict.CONFIRMED else kind.reject
    if effect is not None:
        effect(proposal, by)
    return proposal
