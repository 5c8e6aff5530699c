"""Abandon a committed draw that cannot go on: inspector and organiser together [B16].

Nothing but the computed order counts after a commitment. A person who could give a draw up unseen
could draw until they like the order. So the act is of two persons of different offices, its secret
is published, and only then is there another draw, which is announced in the same act.
"""

import uuid

from django.db import transaction

from core.database import clock
from core.draws import documents, powers
from core.draws.conducting import secret_of
from core.draws.kinds import kind_of
from core.draws.models import Abandonment, Attendance, Commitment, Draw
from core.draws.services import (
    ReasonNeeded,
    attendance_of,
    draw_announce,
    draw_held,
    state_move,
)
from core.kernel.errors import Conflict
from core.proofs.log import publish
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal


class NotCommitted(Conflict):
    code = "draw_not_committed"
    message = (
        "A draw can be abandoned only after its commitment and before its order is known [B16]."
    )


@transaction.atomic
def abandonment_propose(*, by: StaffActor, draw: uuid.UUID, reason: str) -> Proposal:
    """Propose, as the inspector who attends, to abandon the draw; an organiser confirms it.

    Raises PowerMissing, ReasonNeeded, DrawUnknown, DrawOver, SecondPersonTooNew, InspectorAbsent,
    NotCommitted, ProposalPending.
    """
    by.need(powers.CERTIFY)
    if not reason.strip():
        raise ReasonNeeded
    row = draw_held(draw)
    attendance_of(row, by)
    _need_committed(row)
    return two_persons.propose(
        kind=ABANDONMENT,
        subject=f"draw:{draw}",
        by=by,
        content={"draw": str(draw), "reason": reason},
    )


def _need_committed(draw: Draw) -> None:
    if draw.state != Draw.State.COMMITTED:
        raise NotCommitted(state=draw.state)


def _abandoned(proposal: Proposal, by: StaffActor) -> None:
    """Publish the secret, and announce another draw of the subject as the organiser's act."""
    draw = draw_held(uuid.UUID(proposal.content["draw"]))
    _need_committed(draw)
    commitment = Commitment.objects.get(draw=draw)
    abandonment: Abandonment = Abandonment.objects.create(
        draw=draw,
        reason=proposal.content["reason"],
        secret=secret_of(draw, commitment),
        attendance=Attendance.objects.get(draw=draw, inspector=proposal.proposed_by_id),
        proposal=proposal,
        abandoned_at=clock.now(),
    )
    state_move(draw, Draw.State.ABANDONED)
    publish(
        kind=documents.ABANDONED,
        subject=str(draw.uuid),
        document=documents.abandoned_document(draw, commitment, abandonment),
    )
    draw_announce(by=by, kind=kind_of(draw.kind), subject=draw.subject)


ABANDONMENT = two_persons.Kind(
    "draws.abandonment", powers.CERTIFY, apply=_abandoned, second=powers.CONDUCT
)
