"""List the long work of staff: confirming a proposal whose act takes long."""

import uuid

from django.utils.translation import gettext_lazy as _

from core.database import clock
from core.longwork.kinds import Content, Outcome, WorkKind
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from core.staff.two_persons import CONFIRMING


def _proposal(content: Content) -> Proposal:
    """Return the proposal that the content names. Raises ProposalUnknown."""
    return two_persons.proposal_of(uuid.UUID(content["proposal"]))


def _confirm(by: StaffActor, content: Content) -> Outcome:
    """Carry the proposal out by a clock that is right to the end: what it publishes has its time.

    Raises ClockUnsound, and what `two_persons.confirm` raises; then nothing of it is done.
    """
    clock.need_sound()
    proposal = two_persons.confirm(proposal=uuid.UUID(content["proposal"]), by=by)
    clock.need_sound()
    return Outcome({"proposal": str(proposal)})


KINDS: tuple[WorkKind, ...] = (
    WorkKind(
        name=CONFIRMING,
        title=_("Confirmation of a proposal"),
        power=lambda content: two_persons.power_of(_proposal(content)),
        run=_confirm,
        shared=False,
        whole=True,
        about=lambda content: str(_proposal(content)),
    ),
)
