"""Enter a draw with balls that was made while the system was down; two persons enter it.

The draw is announced, attended and certified like any other; the balls give the order.
"""

import uuid
from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from core.database import clock
from core.draws import powers
from core.draws.documents import MOST_INLINE
from core.draws.models import Draw, Outcome
from core.draws.services import (
    DrawBegun,
    PlaceNeeded,
    WitnessMissing,
    draw_held,
    field_fix,
    field_now,
    outcome_publish,
)
from core.kernel.errors import Invalid
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal


class CauseMissing(Invalid):
    code = "manual_cause_missing"
    message = "The reason why the draw was made by hand is needed."


class DrawnOutOfTime(Invalid):
    code = "drawn_out_of_time"
    message = "A draw takes place after its declaration and before it is entered."


class OrderMalformed(Invalid):
    """The order is not one of the field. `data["field"]` has the entries, `data["places"]` their
    number.
    """

    code = "draw_order_malformed"
    message = "The balls must be of the field, each once, as many as there are places."


@transaction.atomic
def manual_propose(
    *,
    by: StaffActor,
    draw: uuid.UUID,
    order: Sequence[str],
    drawn_at: datetime,
    place: str,
    witness: str,
    cause: str,
) -> Proposal:
    """Propose the order that the balls gave, the winner first; a second person confirms it.

    Raises PowerMissing, DrawUnknown, DrawOver, DrawBegun, PlaceNeeded, WitnessMissing,
    CauseMissing, DrawnOutOfTime, OrderMalformed, FieldUnfit, and what the game's `field` raises.
    """
    by.need(powers.CONDUCT)
    for text, error in ((place, PlaceNeeded), (witness, WitnessMissing), (cause, CauseMissing)):
        if not text.strip():
            raise error
    proposal = two_persons.propose(
        kind=MANUAL,
        subject=f"draw:{draw}",
        by=by,
        content={
            "draw": str(draw),
            "order": list(order),
            "drawn_at": drawn_at.isoformat(),
            "place": place,
            "witness": witness,
            "cause": cause,
        },
    )
    _need_acceptable(draw_held(draw), proposal)
    return proposal


def _need_acceptable(draw: Draw, proposal: Proposal) -> datetime:
    """Check the proposed draw; return the time at which the balls were drawn."""
    if draw.state not in (Draw.State.ANNOUNCED, Draw.State.COMMITTED):
        raise DrawBegun(state=draw.state)
    drawn_at = datetime.fromisoformat(proposal.content["drawn_at"])
    if drawn_at.utcoffset() is None or not draw.declared_at <= drawn_at <= clock.now():
        raise DrawnOutOfTime(declared_at=draw.declared_at.isoformat())
    field, order = field_now(draw), proposal.content["order"]
    once = len(order) == len(set(order)) == field.places
    if not once or set(order) - set(field.entries):
        raise OrderMalformed(field=list(field.entries[:MOST_INLINE]), places=field.places)
    return drawn_at


def _confirmed(proposal: Proposal, by: StaffActor) -> None:
    content = proposal.content
    draw = draw_held(uuid.UUID(content["draw"]))
    drawn_at = _need_acceptable(draw, proposal)
    field_fix(draw)
    outcome: Outcome = Outcome.objects.create(
        draw=draw,
        method=Outcome.Method.BALLS,
        witness=content["witness"],
        order=content["order"],
        place=content["place"],
        drawn_at=drawn_at,
        cause=content["cause"],
        proposal=proposal,
        entered_at=clock.now(),
        entered_by_id=by.user_id,
        entered_in_id=by.session_id,
    )
    outcome_publish(draw, outcome)


MANUAL = two_persons.Kind("draws.manual", powers.CONDUCT, apply=_confirmed)
