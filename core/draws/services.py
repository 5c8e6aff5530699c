"""Conduct a public draw: announce, attend, commit, draw, certify (14.III.5.4).

Every step is one transaction and may be sent again: an interrupted draw continues from the step on
record, with the secret already committed to, and nothing can be drawn twice. The database refuses
steps out of order, too (`sql/draws.sql`).
"""

import secrets
import uuid
from datetime import datetime

from django.db import transaction

from core.database import clock, encryption
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
    message = "The place of the draw must be announced before the draw begins (14.III.5.4.2)."


class InspectorNeeded(Conflict):
    code = "draw_inspector_needed"
    message = "An inspector must attend before the commitment (14.III.5.4.4)."


class InspectorAbsent(Forbidden):
    code = "draw_inspector_absent"
    message = "Only an inspector who attends this draw certifies it (14.III.5.4.4)."


class EntropyTooEarly(Conflict):
    code = "entropy_too_early"
    message = "The witness acts only after the commitment is published."


class EntropyGiven(Conflict):
    code = "entropy_given"
    message = "The draw was made with other entropy, and is never repeated."


class WitnessMissing(Invalid):
    code = "witness_missing"
    message = "The name of the person who gave the entropy, or watched the balls, is needed."


class NotDrawn(Conflict):
    code = "draw_not_drawn"
    message = "There is no order yet to certify."


class LateCauseMissing(Invalid):
    code = "late_cause_missing"
    message = "The draw took place after its limit: the cause of the delay is needed [B12]."


def draw_of(*, kind: Kind, subject: str) -> Draw | None:
    """Return the draw of a subject that was not called off; None if there is none."""
    standing = Draw.objects.exclude(state=State.CALLED_OFF)
    draw: Draw | None = standing.filter(kind=kind.name, subject=subject).first()
    return draw


@transaction.atomic
def draw_announce(
    *, by: StaffActor, kind: Kind, subject: str, place: str = "", planned_at: datetime | None = None
) -> Draw:
    """Announce the draw of a subject; return the existing draw if it is already announced.

    For the services of a game, which have checked the power and hold their locks. By default the
    place is the Central Office and the time is the limit, if there is one.
    """
    existing = draw_of(kind=kind, subject=subject)
    if existing is not None:
        return existing
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
    """Announce another place or time, before the commitment.

    Raises PowerMissing, DrawUnknown, PlaceNeeded, DrawBegun, DrawOver.
    """
    by.need(powers.CONDUCT)
    row = _held(draw)
    if not place.strip():
        raise PlaceNeeded
    if row.state != State.ANNOUNCED:
        raise DrawBegun(state=row.state)
    return _announce(row, place, planned_at, by)


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
    """Record that the inspector signed on is present, and may certify. Twice changes nothing.

    Another inspector may take over at any time. Raises PowerMissing, DrawUnknown, DrawOver.
    """
    by.need(powers.CERTIFY)
    row = _held(draw)
    present = Attendance.objects.filter(draw=row, inspector=by.user_id).first()
    if present is not None:
        return present
    return Attendance.objects.create(
        draw=row,
        inspector_id=by.user_id,
        session_id=by.session_id,
        attended_at=clock.now(),
        appointment=User.objects.values_list("appointment", flat=True).get(pk=by.user_id),
    )


@transaction.atomic
def draw_commit(*, by: StaffActor, draw: uuid.UUID) -> Commitment:
    """Fix the field, make the secret, publish its digest. Again: return the same commitment.

    Raises PowerMissing, DrawUnknown, DrawOver, DrawBegun, PlaceNeeded, InspectorNeeded, FieldUnfit,
    and what the game's `field` raises while the draw may not begin yet.
    """
    by.need(powers.CONDUCT)
    row = _held(draw)
    existing = Commitment.objects.filter(draw=row).first()
    if existing is not None:
        return existing
    if row.state != State.ANNOUNCED:
        raise DrawBegun(state=row.state)
    if not announcement_of(row).place:
        raise PlaceNeeded
    if not row.attendances.exists():
        raise InspectorNeeded
    field = field_fix(row)
    secret = secrets.token_bytes(method.SECRET_BYTES)
    commitment: Commitment = Commitment.objects.create(
        draw=row,
        committed_at=clock.now(),
        committed_by_id=by.user_id,
        committed_in_id=by.session_id,
        secret_kept=encryption.encrypt(_PURPOSE, secret, context=row.uuid.bytes),
        digest=method.commitment(secret, str(row.uuid), bytes(field.digest)),
    )
    state_move(row, State.COMMITTED)
    publish(
        kind=documents.COMMITMENT,
        subject=str(row.uuid),
        document=documents.commitment_document(row, field, commitment),
    )
    return commitment


def field_now(draw: Draw) -> Field:
    """Return the field of the draw: as it was fixed, or else as the game has it now."""
    fixed = DrawField.objects.filter(draw=draw).first()
    return Field(fixed.entries, fixed.places) if fixed else kind_of(draw.kind).field(draw.subject)


def field_fix(draw: Draw) -> DrawField:
    """Fix the field as the game has it now; return the existing one if it is fixed already."""
    existing: DrawField | None = DrawField.objects.filter(draw=draw).first()
    if existing is not None:
        return existing
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
    """Enter the witness's entropy and compute the order from it, once and for all.

    The same again returns the same outcome. Raises PowerMissing, DrawUnknown, WitnessMissing,
    EntropyMalformed, EntropyTooLittle, EntropyTooEarly, EntropyGiven, DrawOver.
    """
    by.need(powers.CONDUCT)
    if not witness.strip():
        raise WitnessMissing
    entropy = method.entropy_canonical(method.Source(source), text)
    row = _held(draw, begun=True)
    existing = Outcome.objects.filter(draw=row).first()
    if existing is not None:
        if (existing.source, existing.entropy_text, existing.witness) != (source, text, witness):
            raise EntropyGiven(drawn_at=existing.drawn_at.isoformat())
        return existing
    commitment = Commitment.objects.filter(draw=row).first()
    if commitment is None:
        raise EntropyTooEarly
    field = DrawField.objects.get(draw=row)
    secret = encryption.decrypt(_PURPOSE, bytes(commitment.secret_kept), context=row.uuid.bytes)
    now = clock.now()
    outcome: Outcome = Outcome.objects.create(
        draw=row,
        method=Outcome.Method.COMPUTED,
        witness=witness,
        source=source,
        entropy_text=text,
        entropy=entropy,
        secret=secret,
        order=method.order(secret, bytes(commitment.digest), entropy, field.entries, field.places),
        place=announcement_of(row).place,
        drawn_at=now,
        entered_at=clock.now(),
        entered_by_id=by.user_id,
        entered_in_id=by.session_id,
    )
    outcome_publish(row, outcome)
    return outcome


def outcome_publish(draw: Draw, outcome: Outcome) -> None:
    """Move the draw on and publish its order, which is public before the inspector certifies it."""
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
    """Certify the draw as the attending inspector; sign and publish its minutes.

    A draw after its limit is late. That is recorded with its cause and hinders nothing [B12]. Again
    by the same inspector: return the same certificate. Raises PowerMissing, DrawUnknown, NotDrawn,
    InspectorAbsent, LateCauseMissing, DrawOver.
    """
    by.need(powers.CERTIFY)
    row = _held(draw, begun=True)
    existing = DrawCertificate.objects.filter(draw=row, attendance__inspector=by.user_id).first()
    if existing is not None:
        return existing
    outcome = Outcome.objects.filter(draw=row).first()
    if outcome is None:
        raise NotDrawn(state=row.state)
    if row.state == State.CERTIFIED:
        raise DrawOver(state=row.state)
    attendance = Attendance.objects.filter(draw=row, inspector=by.user_id).first()
    if attendance is None:
        raise InspectorAbsent
    late = is_late(row, outcome)
    if late and not late_cause.strip():
        raise LateCauseMissing
    certificate = DrawCertificate.objects.create(
        draw=row,
        attendance=attendance,
        session_id=by.session_id,
        late=late,
        late_cause=late_cause if late else "",
        observations=observations,
        certified_at=clock.now(),
    )
    state_move(row, State.CERTIFIED)
    order = tuple(outcome.order)
    kind_of(row.kind).certified(Certified(row.pk, row.subject, order, certificate.certified_at))
    publish(
        kind=documents.MINUTES,
        subject=str(row.uuid),
        document=documents.minutes_document(row, outcome, certificate),
    )
    return certificate


@transaction.atomic
def draw_call_off(*, by: StaffActor, kind: Kind, subject: str, reason: str) -> Draw | None:
    """Call off the draw of a subject that fell away; None if the subject has no draw.

    For the services of a game. Once there is an order, the draw stands. Raises DrawBegun, DrawOver.
    """
    draw = draw_of(kind=kind, subject=subject)
    if draw is None:
        return None
    draw = _held(draw.uuid)
    if draw.state not in (State.ANNOUNCED, State.COMMITTED):
        raise DrawBegun(state=draw.state)
    call_off = CallOff.objects.create(
        draw=draw,
        reason=reason,
        called_off_at=clock.now(),
        called_off_by_id=by.user_id,
        called_off_in_id=by.session_id,
    )
    state_move(draw, State.CALLED_OFF)
    publish(
        kind=documents.CALLED_OFF,
        subject=str(draw.uuid),
        document=documents.called_off_document(draw, call_off),
    )
    return draw


def is_late(draw: Draw, outcome: Outcome) -> bool:
    """Return whether the draw was made after its limit (14.III.5.4.2) [B12]."""
    return draw.due_at is not None and outcome.drawn_at > draw.due_at


def announcement_of(draw: Draw) -> Announcement:
    """Return the newest announcement of the draw."""
    return Announcement.objects.filter(draw=draw).latest("pk")


def _held(ident: uuid.UUID, *, begun: bool = False) -> Draw:
    """Take the game's locks and lock the draw's row to the transaction's end; return the draw.

    With `begun`, a certified draw is returned too. Raises DrawUnknown, DrawOver.
    """
    draw = Draw.objects.filter(uuid=ident).first()
    if draw is None:
        raise DrawUnknown
    kind_of(draw.kind).hold(draw.subject)
    locked = Draw.objects.select_for_update(no_key=True).get(pk=draw.pk)
    over = (State.CALLED_OFF,) if begun else (State.CALLED_OFF, State.CERTIFIED)
    if locked.state in over:
        raise DrawOver(state=locked.state)
    return locked


def draw_held(ident: uuid.UUID) -> Draw:
    """Lock a draw that is not over, and return it. Raises DrawUnknown, DrawOver."""
    return _held(ident)


def state_move(draw: Draw, state: Draw.State) -> None:
    """Move the draw to a state, if it still is in the state that was read."""
    Draw.objects.filter(pk=draw.pk, state=draw.state).update(state=state)
    draw.state = state
