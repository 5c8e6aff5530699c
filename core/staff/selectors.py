"""Read accounts of staff and proposals."""

import uuid
from typing import Any

from django.db.models import QuerySet

from core.staff import powers
from core.staff.actor import StaffActor
from core.staff.models import Proposal, User
from core.staff.two_persons import ProposalUnknown

PENDING, DECIDED, ANY = "pending", "decided", "any"


def accounts(*, by: StaffActor) -> QuerySet[User]:
    """Return the accounts of all staff. Raises PowerMissing."""
    by.need(powers.MANAGE_ACCOUNTS)
    return User.objects.all()


def proposals(
    *, by: StaffActor, state: str = ANY, kind: str = "", subject: str = ""
) -> QuerySet[Proposal]:
    """Return proposals that are `pending`, `decided` or both (`any`). Raises PowerMissing."""
    by.need(powers.READ_PROPOSALS)
    filters: dict[str, Any] = {}
    if state != ANY:
        filters["decided"] = state == DECIDED
    if kind:
        filters["kind"] = kind
    if subject:
        filters["subject"] = subject
    return _with_people().filter(**filters)


def _with_people() -> QuerySet[Proposal]:
    return Proposal.objects.select_related(
        "proposed_by", "proposed_by__given__decision", "decision", "decision__decided_by"
    )


def decided(by_them: Proposal) -> Proposal:
    """Return a proposal with its decision, for the person who has just decided it.

    They need no power to read others.
    """
    return _with_people().get(pk=by_them.pk)


def proposal(*, by: StaffActor, proposal: uuid.UUID) -> Proposal:
    """Return one proposal with its decision. Raises PowerMissing, ProposalUnknown."""
    row = proposals(by=by).filter(uuid=proposal).first()
    if row is None:
        raise ProposalUnknown
    return row
