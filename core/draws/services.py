"""A public draw, step by step: announced, attended, committed, drawn, certified (14.III.5.4).

Every step is one transaction and may be sent again: an interrupted draw goes on from the step on
record, with the secret already committed to, and nothing can be drawn twice. The database refuses
steps out of order, too (`sql/draws.sql`).
"""

import secrets
import uuid
from datetime import datetime

from django.db import transaction

from core.database import clock, vault
from core.draws import documents, method, powers
from core.draws.kinds import Certified, Field, Kind, kind_of
from core.draws.models import (
    Announcement,
    Attendance,
    CallOff,
    Commitment,
    Draw,
    DrawCertificate,
    DrawField,
    Outcome,
)
from core.draws.places import central_office
from core.kernel.errors import Conflict, Forbidden, Invalid, NotFound
from core.proofs.log import publish
from core.staff.actor import StaffActor
from core.staff.models import User

_PURPOSE = "draws.secret"
State = Draw.State


class DrawUnknown(NotFound):
    code = "draw_unknown"
    message = "There is no such public draw."


class DrawOver(Conflict):
    code = "draw_over"
    message = "The draw is certified, or was called off: nothing more happens to it [B13]."


class DrawBegun(Conflict):
    code = "draw_begun"
    message = "The draw has begun: what it is about can no longer be changed [B13]."


class PlaceNeeded(Invalid):
    code = "draw_place_needed"
    message = "The place of the draw is announced before it begins (14.III.5.4.2)."


class InspectorNeeded(Conflict):
    code = "draw_inspector_needed"
    message = "An inspector attends before anything is committed (14.III.5.4.4)."


class InspectorAbsent(Forbidden):
    code = "draw_inspector_absent"
    message = "Only an inspector who attends this draw certifies it (14.III.5.4.4)."


class EntropyTooEarly(Conflict):
    code = "entropy_too_early"
    message = "The witness acts only after the commitment is published."


class EntropyGiven(Conflict):
    code = "entropy_given"
    message = "The draw has taken place with other entropy, and is never repeated."


class WitnessMissing(Invalid):
    code = "witness_missing"
    message = "Who gave the entropy, or watched the balls, must be on record."


class NotDrawn(Conflict):
    code = "draw_not_drawn"
    message = "There is no order yet to certify."


class LateCauseMissing(Invalid):
    code = "late_cause_missing"
    message = "The draw took place after its limit: the cause of the delay is recorded [B12]."


def draw_of(*, kind: Kind, subject: str) -> Draw | None:
    """The draw of a subject that stands, if there is one."""
    standing = Draw.objects.exclude(state=State.CALLED_OFF)
    found: Draw | None = standing.filter(kind=kind.name, subject=subject).first()
    return found


@transaction.atomic
def draw_announce(
    *, by: StaffActor, kind: Kind, subject: str, place: str = "", planned_at: datetime | None = None
) -> Draw:
    """Announce that a subject is to be drawn; the draw there is, if it is announced already.

    For the game's services, which have checked the power and hold their locks. The place is the
    Central Office unless given; the time the limit, if there is one.
    """
    found = draw_of(kind=kind, subject=subject)
    if found is not None:
        return found
    matter, now = kind.matter(subject), clock.now()
    draw: Draw = Draw.objects.create(
        kind=kind.name,
        subject=subject,
        title=dict(matter.title),
        reason=matter.reason,
        declared_at=matter.declared_at,
        due_at=matter.due_at,
        created_at=now,
    )
    _announce(draw, place or central_office(), planned_at or matter.due_at or now, by)
    return draw


@transaction.atomic
def draw_reannounce(
    *, by: StaffActor, draw: uuid.UUID, place: str, planned_at: datetime
) -> Announcement:
    """Announce another place or time, before anything is committed.

    Raises PowerMissing, DrawUnknown, PlaceNeeded, DrawBegun, DrawOver.
    """
    by.need(powers.CONDUCT)
    found = _held(draw)
    if not place.strip():
        raise PlaceNeeded
    if found.state != State.ANNOUNCED:
        raise DrawBegun(state=found.state)
    return _announce(found, place, planned_at, by)


def _announce(draw: Draw, place: str, planned_at: datetime, by: StaffActor) -> Announcement:
    return Announcement.objects.create(
        draw=draw,
        place=place,
        planned_at=planned_at,
        announced_at=clock.now(),
        announced_by_id=by.user_id,
        announced_in_id=by.session_id,
    )


@transaction.atomic
def draw_attend(*, by: StaffActor, draw: uuid.UUID) -> Attendance:
    """The inspector signed on is present; whoever attends may certify. Twice changes nothing.

    Another inspector may take over at any time. Raises PowerMissing, DrawUnknown, DrawOver.
    """
    by.need(powers.CERTIFY)
    found = _held(draw)
    present = Attendance.objects.filter(draw=found, inspector=by.user_id).first()
    if present is not None:
        return present
    return Attendance.objects.create(
        draw=found,
        inspector_id=by.user_id,
        session_id=by.session_id,
        attended_at=clock.now(),
        appointment=User.objects.values_list("appointment", flat=True).get(pk=by.user_id),
    )


@transaction.atomic
def draw_commit(*, by: StaffActor, draw: uuid.UUID) -> Commitment:
    """Fix the field, make the secret, publish its digest. Again: the same commitment.

    Raises PowerMissing, DrawUnknown, DrawOver, DrawBegun, PlaceNeeded, InspectorNeeded, FieldUnfit,
    and what the game's `field` raises while the draw may not begin yet.
    """
    by.need(powers.CONDUCT)
    found = _held(draw)
    known = Commitment.objects.filter(draw=found).first()
    if known is not None:
        return known
    if found.state != State.ANNOUNCED:
        raise DrawBegun(state=found.state)
    if not announcement_of(found).place:
        raise PlaceNeeded
    if not found.attendances.exists():
        raise InspectorNeeded
    field = field_fix(found)
    secret = secrets.token_bytes(method.SECRET_BYTES)
    made: Commitment = Commitment.objects.create(
        draw=found,
        committed_at=clock.now(),
        committed_by_id=by.user_id,
        committed_in_id=by.session_id,
        secret_kept=vault.encrypt(_PURPOSE, secret, context=found.uuid.bytes),
        digest=method.commitment(secret, str(found.uuid), bytes(field.digest)),
    )
    state_move(found, State.COMMITTED)
    publish(
        kind=documents.COMMITMENT,
        subject=str(found.uuid),
        document=documents.commitment_document(found, field, made),
    )
    return made


def field_now(draw: Draw) -> Field:
    """What is drawn: as it was fixed, or else as the game has it now."""
    fixed = DrawField.objects.filter(draw=draw).first()
    return Field(fixed.entries, fixed.places) if fixed else kind_of(draw.kind).field(draw.subject)


def field_fix(draw: Draw) -> DrawField:
    """Fix for good what is drawn, as the game has it now, if it is not fixed yet."""
    known: DrawField | None = DrawField.objects.filter(draw=draw).first()
    if known is not None:
        return known
    field, facts = field_now(draw), kind_of(draw.kind).matter(draw.subject).facts
    return DrawField.objects.create(
        draw=draw,
        entries=list(field.entries),
        digest=method.field_digest(field.entries),
        size=len(field.entries),
        places=field.places,
        facts=dict(facts),
        fixed_at=clock.now(),
    )


@transaction.atomic
def draw_enter(*, by: StaffActor, draw: uuid.UUID, source: str, text: str, witness: str) -> Outcome:
    """Enter what the witness gave and compute the order from it, at once and once for ever.

    The same again gives the same outcome. Raises PowerMissing, DrawUnknown, WitnessMissing,
    EntropyMalformed, EntropyTooLittle, EntropyTooEarly, EntropyGiven, DrawOver.
    """
    by.need(powers.CONDUCT)
    if not witness.strip():
        raise WitnessMissing
    entropy = method.entropy_canonical(method.Source(source), text)
    found = _held(draw, begun=True)
    known = Outcome.objects.filter(draw=found).first()
    if known is not None:
        if (known.source, known.entropy_text, known.witness) != (source, text, witness):
            raise EntropyGiven(drawn_at=known.drawn_at.isoformat())
        return known
    commitment = Commitment.objects.filter(draw=found).first()
    if commitment is None:
        raise EntropyTooEarly
    field = DrawField.objects.get(draw=found)
    secret = vault.decrypt(_PURPOSE, bytes(commitment.secret_kept), context=found.uuid.bytes)
    now = clock.now()
    made: Outcome = Outcome.objects.create(
        draw=found,
        method=Outcome.Method.COMPUTED,
        witness=witness,
        source=source,
        entropy_text=text,
        entropy=entropy,
        secret=secret,
        order=method.order(secret, bytes(commitment.digest), entropy, field.entries, field.places),
        place=announcement_of(found).place,
        drawn_at=now,
        entered_at=clock.now(),
        entered_by_id=by.user_id,
        entered_in_id=by.session_id,
    )
    outcome_publish(found, made)
    return made


def outcome_publish(draw: Draw, outcome: Outcome) -> None:
    """The order is public from the instant it is on record, before anybody certifies it."""
    state_move(draw, State.DRAWN)
    publish(
        kind=documents.OUTCOME,
        subject=str(draw.uuid),
        document=documents.outcome_document(draw, outcome),
    )


@transaction.atomic
def draw_certify(
    *, by: StaffActor, draw: uuid.UUID, late_cause: str = "", observations: str = ""
) -> DrawCertificate:
    """The attending inspector certifies: the order stands, its minutes are signed and published.

    A draw after its limit is late, which is recorded with its cause and hinders nothing [B12].
    Again by the same inspector: the same certificate. Raises PowerMissing, DrawUnknown, NotDrawn,
    InspectorAbsent, LateCauseMissing, DrawOver.
    """
    by.need(powers.CERTIFY)
    found = _held(draw, begun=True)
    known = DrawCertificate.objects.filter(draw=found, attendance__inspector=by.user_id).first()
    if known is not None:
        return known
    outcome = Outcome.objects.filter(draw=found).first()
    if outcome is None:
        raise NotDrawn(state=found.state)
    if found.state == State.CERTIFIED:
        raise DrawOver(state=found.state)
    attendance = Attendance.objects.filter(draw=found, inspector=by.user_id).first()
    if attendance is None:
        raise InspectorAbsent
    late = is_late(found, outcome)
    if late and not late_cause.strip():
        raise LateCauseMissing
    made = DrawCertificate.objects.create(
        draw=found,
        attendance=attendance,
        session_id=by.session_id,
        late=late,
        late_cause=late_cause if late else "",
        observations=observations,
        certified_at=clock.now(),
    )
    state_move(found, State.CERTIFIED)
    order = tuple(outcome.order)
    kind_of(found.kind).certified(Certified(found.pk, found.subject, order, made.certified_at))
    publish(
        kind=documents.MINUTES,
        subject=str(found.uuid),
        document=documents.minutes_document(found, outcome, made),
    )
    return made


@transaction.atomic
def draw_call_off(*, by: StaffActor, kind: Kind, subject: str, reason: str) -> Draw | None:
    """What was to be drawn has fallen away: the draw of it, if one stands, is called off.

    For the game's services. Nobody could know its order yet; from the order on it stands.
    Raises DrawBegun.
    """
    found = draw_of(kind=kind, subject=subject)
    if found is None:
        return None
    found = _held(found.uuid)
    if found.state not in (State.ANNOUNCED, State.COMMITTED):
        raise DrawBegun(state=found.state)
    made = CallOff.objects.create(
        draw=found,
        reason=reason,
        called_off_at=clock.now(),
        called_off_by_id=by.user_id,
        called_off_in_id=by.session_id,
    )
    state_move(found, State.CALLED_OFF)
    publish(
        kind=documents.CALLED_OFF,
        subject=str(found.uuid),
        document=documents.called_off_document(found, made),
    )
    return found


def is_late(draw: Draw, outcome: Outcome) -> bool:
    """Whether it was drawn after its limit (5.4.2) [B12]."""
    return draw.due_at is not None and outcome.drawn_at > draw.due_at


def announcement_of(draw: Draw) -> Announcement:
    """Where and when it was announced last."""
    return Announcement.objects.filter(draw=draw).latest("pk")


def _held(ident: uuid.UUID, *, begun: bool = False) -> Draw:
    """The draw, held to the transaction's end, and the game's own things before it.

    `begun`: the caller answers for a certified draw. Raises DrawUnknown, DrawOver.
    """
    known = Draw.objects.filter(uuid=ident).first()
    if known is None:
        raise DrawUnknown
    kind_of(known.kind).hold(known.subject)
    found = Draw.objects.select_for_update(no_key=True).get(pk=known.pk)
    over = (State.CALLED_OFF,) if begun else (State.CALLED_OFF, State.CERTIFIED)
    if found.state in over:
        raise DrawOver(state=found.state)
    return found


def draw_held(ident: uuid.UUID) -> Draw:
    """A draw that is not over, held. Raises DrawUnknown, DrawOver."""
    return _held(ident)


def state_move(draw: Draw, state: Draw.State) -> None:
    Draw.objects.filter(pk=draw.pk, state=draw.state).update(state=state)
    draw.state = state
