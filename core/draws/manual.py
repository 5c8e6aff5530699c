"""Enter a draw with balls that was made while the system was down; two persons enter it.

The draw was announced, and is attended and certified, like any other; the balls give the order.
There is none after a commitment: then only the computed order counts [B16]. Once an order is
entered nothing else decides the draw until the inspector confirms or rejects it (`balls`).
"""

import uuid
from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from core.database import clock
from core.draws import balls, documents, powers
from core.draws.conducting import WitnessMissing, field_fix, field_now, outcome_publish
from core.draws.documents import MOST_INLINE
from core.draws.models import Announcement, Draw, Outcome
from core.draws.services import (
    DrawBegun,
    ReasonNeeded,
    attendance_of,
    draw_held,
    need_as_announced,
)
from core.kernel.errors import Conflict, Invalid
from core.proofs.log import publish
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal


class CauseMissing(Invalid):
    code = "manual_cause_missing"
    message = "The reason why the draw was made by hand is needed."


class OnlyComputed(Conflict):
    code = "draw_only_computed"
    message = "The draw has a commitment: only the order that is computed from it counts [B16]."


class BallsEntered(Conflict):
    code = "draw_balls_entered"
    message = "Everybody has seen these balls: only an inspector confirms or rejects them [B16]."


class DrawnOutOfTime(Invalid):
    code = "drawn_out_of_time"
    message = "The time of the draw must be after its declaration, and not in the future."


class OrderMalformed(Invalid):
    """The order is not one of the field. `data["field"]` has the entries, `data["places"]` their
    number.
    """

    code = "draw_order_malformed"
    message = "Give as many balls as there are places, each once, and only those in the draw."


@transaction.atomic
def manual_propose(
    *,
    by: StaffActor,
    draw: uuid.UUID,
    order: Sequence[str],
    drawn_at: datetime,
    witness: str,
    cause: str,
) -> Proposal:
    """Propose the order that the balls gave, the winner first; the attending inspector confirms it.

    It is published at once, and stays so if it is rejected.

    The place and time are those announced when it was drawn. Raises PowerMissing, DrawUnknown,
    DrawOver, DrawBegun, OnlyComputed, PlaceNeeded, BeforeAnnounced, PlaceUnregistered,
    AnnouncedLate, WitnessMissing, CauseMissing, DrawnOutOfTime, OrderMalformed, FieldUnfit, and
    what the game's `field` raises.
    """
    by.need(powers.CONDUCT)
    for text, error in ((witness, WitnessMissing), (cause, CauseMissing)):
        if not text.strip():
            raise error
    proposal = two_persons.propose(
        kind=MANUAL,
        subject=balls.subject_of(draw),
        by=by,
        content={
            "draw": str(draw),
            "order": list(order),
            "drawn_at": drawn_at.isoformat(),
            "witness": witness,
            "cause": cause,
        },
    )
    row = draw_held(draw)
    _need_acceptable(row, proposal)
    publish(
        kind=documents.BALLS,
        subject=str(proposal.uuid),
        document=documents.balls_document(row, proposal),
    )
    return proposal


def _need_acceptable(draw: Draw, proposal: Proposal) -> Announcement:
    """Check the proposed draw; return the announcement that it followed."""
    if draw.state == Draw.State.COMMITTED:
        raise OnlyComputed
    if draw.state != Draw.State.ANNOUNCED:
        raise DrawBegun(state=draw.state)
    drawn_at = datetime.fromisoformat(proposal.content["drawn_at"])
    if drawn_at.utcoffset() is None or not draw.declared_at <= drawn_at <= clock.now():
        raise DrawnOutOfTime(declared_at=draw.declared_at.isoformat())
    announced = need_as_announced(draw, drawn_at)
    field, order = field_now(draw), proposal.content["order"]
    once = len(order) == len(set(order)) == field.places
    if not once or set(order) - set(field.entries):
        raise OrderMalformed(field=list(field.entries[:MOST_INLINE]), places=field.places)
    return announced


def _confirmed(proposal: Proposal, by: StaffActor) -> None:
    content = proposal.content
    draw = draw_held(uuid.UUID(content["draw"]))
    attendance_of(draw, by)
    announced = _need_acceptable(draw, proposal)
    field_fix(draw)
    outcome: Outcome = Outcome.objects.create(
        draw=draw,
        method=Outcome.Method.BALLS,
        witness=content["witness"],
        order=content["order"],
        place=announced.place,
        drawn_at=datetime.fromisoformat(content["drawn_at"]),
        cause=content["cause"],
        proposal=proposal,
        entered_at=clock.now(),
        entered_by_id=by.user_id,
        entered_in_id=by.session_id,
    )
    outcome_publish(draw, outcome)


def _need_rejectable(proposal: Proposal, by: StaffActor) -> None:
    """Let only an inspector reject an order that is not too old. Raises BallsEntered.

    The person who entered it does not take it back. Nor does another organiser, where an
    administrator closed that person's account: the balls stay the same, and the other enters them
    again once the inspector has rejected the first order.
    """
    is_over = two_persons.lapse_of(proposal, clock.now()) is two_persons.Lapse.OLD
    if not by.may(powers.CERTIFY) and not is_over:
        raise BallsEntered


def _rejected(proposal: Proposal, by: StaffActor) -> None:
    """Refuse a rejection without a reason: the minutes publish it. Raises ReasonNeeded."""
    if not proposal.decision.reason.strip():
        raise ReasonNeeded


MANUAL = two_persons.Kind(
    balls.KIND,
    powers.CONDUCT,
    apply=_confirmed,
    reject=_rejected,
    second=powers.CERTIFY,
    need_rejectable=_need_rejectable,
    rejection_refusals=(BallsEntered, ReasonNeeded),
)
