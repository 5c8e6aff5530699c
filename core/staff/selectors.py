"""Reading accounts of staff and proposals."""

import uuid
from typing import Any

from django.db.models import QuerySet

from core.staff import powers
from core.staff.actor import StaffActor
from core.staff.models import Proposal, User
from core.staff.two_persons import ProposalUnknown

PENDING, DECIDED, ANY = "pending", "decided", "any"


def accounts(*, by: StaffActor) -> QuerySet[User]:
    """Everybody's account."""
    by.need(powers.MANAGE_ACCOUNTS)
    return User.objects.all()


def proposals(
    *, by: StaffActor, state: str = ANY, kind: str = "", subject: str = ""
) -> QuerySet[Proposal]:
    """Proposals that wait for a decision (`pending`), have one (`decided`), or both (`any`)."""
    by.need(powers.READ_PROPOSALS)
    wanted: dict[str, Any] = {}
    if state != ANY:
        wanted["decision__isnull"] = state == PENDING
    if kind:
        wanted["kind"] = kind
    if subject:
        wanted["subject"] = subject
    found = Proposal.objects.filter(**wanted)
    return found.select_related("proposed_by", "decision", "decision__decided_by")


def proposal(*, by: StaffActor, proposal: uuid.UUID) -> Proposal:
    """One proposal with its decision. Raises ProposalUnknown."""
    found = proposals(by=by).filter(uuid=proposal).first()
    if found is None:
        raise ProposalUnknown
    return found
