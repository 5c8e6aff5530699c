"""Conduct a public draw: commit, enter the witness's entropy, certify (14.III.5.4.4) [B16].

Every step is one transaction and may be sent again: an interrupted draw continues from the step on
record, with the secret already committed to, and nothing can be drawn twice. After the commitment
nothing but the computed order counts; `abandoning` gives up a draw that cannot go on.
"""

import secrets
import uuid

from django.db import transaction

from core.database import clock, encryption
from core.draws import documents, method, powers
from core.draws.kinds import Certified, Field, kind_of
from core.draws.models import Commitment, Draw, DrawCertificate, DrawField, Outcome
from core.draws.services import (
    DrawOver,
    announcement_of,
    attendance_of,
    draw_held,
    need_as_announced,
    need_not_begun,
    need_not_inspecting,
    state_move,
)
from core.kernel.errors import Conflict, Invalid
from core.proofs.log import publish
from core.staff.actor import StaffActor

State = Draw.State


class InspectorNeeded(Conflict):
    code = "draw_inspector_needed"
    message = "An inspector must attend before the commitment (14.III.5.4.4)."


class CommittedOtherwise(Conflict):
    """`data` has the `source` and the number of `pieces` that the commitment names."""

    code = "draw_committed_otherwise"
    message = "The commitment of the draw names another kind or number of dice or balls [B16]."


class EntropyTooEarly(Conflict):
    code = "entropy_too_early"
    message = "The witness acts only after the commitment is published."


class EntropyGiven(Conflict):
    code = "entropy_given"
    message = "The draw was already made from another entropy. It is never repeated."


class WitnessMissing(Invalid):
    code = "witness_missing"
    message = "The name of the person who gave the entropy, or watched the balls, is needed."


class NotDrawn(Conflict):
    code = "draw_not_drawn"
    message = "There is no order yet to certify."


class LateCauseMissing(Invalid):
    code = "late_cause_missing"
    message = "The draw took place after its limit: the cause of the delay is needed [B12]."


@transaction.atomic
def draw_commit(
    *, by: StaffActor, draw: uuid.UUID, source: str, pieces: int | None = None
) -> Commitment:
    """Fix the field and how the witness will act, make the secret, publish the digest of all.

    `source` is a `method.Source`, `pieces` the number of dice or balls. Again: return the same
    commitment. Raises PowerMissing, MeansRefused, EntropyTooLittle, DrawUnknown, DrawOver,
    DrawBegun, CommittedOtherwise, NotApart, InspectorNeeded, PlaceNeeded, BeforeAnnounced,
    PlaceUnregistered, AnnouncedLate, FieldUnfit, and what the game's `field` raises while the draw
    may not begin.
    """
    by.need(powers.CONDUCT)
    means = method.Means.of(source, pieces)
    row = draw_held(draw)
    existing = Commitment.objects.filter(draw=row).first()
    if existing is not None:
        if method.Means.of(existing.source, existing.pieces) != means:
            raise CommittedOtherwise(source=existing.source, pieces=existing.pieces)
        return existing
    need_not_begun(row)
    need_not_inspecting(row, by)
    if not row.attendances.exists():
        raise InspectorNeeded
    need_as_announced(row, clock.now())
    field = field_fix(row)
    secret = secrets.token_bytes(method.SECRET_BYTES)
    commitment: Commitment = Commitment.objects.create(
        draw=row,
        source=str(means.source),
        pieces=means.pieces,
        committed_at=clock.now(),
        committed_by_id=by.user_id,
        committed_in_id=by.session_id,
        secret_kept=encryption.encrypt(_cell(row), secret),
        digest=method.commitment(secret, str(row.uuid), bytes(field.digest), means),
    )
    state_move(row, State.COMMITTED)
    publish(
        kind=documents.COMMITMENT,
        subject=str(row.uuid),
        document=documents.commitment_document(row, field, commitment),
    )
    return commitment


def _cell(draw: Draw) -> encryption.Cell:
    return encryption.Cell(Commitment, "secret_kept", draw.uuid)


def secret_of(draw: Draw, commitment: Commitment) -> bytes:
    """Return the secret that was committed to, decrypted."""
    return encryption.decrypt(_cell(draw), bytes(commitment.secret_kept))


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
    """Enter the witness's entropy as the attending inspector; compute the order, once and for all.

    The same again returns the same outcome. Raises PowerMissing, DrawUnknown, WitnessMissing,
    EntropyMalformed, EntropyTooLittle, SecondPersonTooNew, InspectorAbsent, EntropyTooEarly,
    EntropyOtherwise, EntropyGiven, DrawOver.
    """
    by.need(powers.CERTIFY)
    if not witness.strip():
        raise WitnessMissing
    entropy = method.entropy_canonical(method.Source(source), text)
    row = draw_held(draw, certified=True)
    attendance_of(row, by)
    existing = Outcome.objects.filter(draw=row).first()
    if existing is not None:
        if (existing.source, existing.entropy_text, existing.witness) != (source, text, witness):
            raise EntropyGiven(drawn_at=existing.drawn_at.isoformat())
        return existing
    commitment = Commitment.objects.filter(draw=row).first()
    if commitment is None:
        raise EntropyTooEarly
    committed = method.Means.of(commitment.source, commitment.pieces)
    committed.need_kept(method.Source(source), entropy)
    field, secret = DrawField.objects.get(draw=row), secret_of(row, commitment)
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
        drawn_at=clock.now(),
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
    SecondPersonTooNew, InspectorAbsent, LateCauseMissing, DrawOver.
    """
    by.need(powers.CERTIFY)
    row = draw_held(draw, certified=True)
    existing = DrawCertificate.objects.filter(draw=row, attendance__inspector=by.user_id).first()
    if existing is not None:
        return existing
    outcome = Outcome.objects.filter(draw=row).first()
    if outcome is None:
        raise NotDrawn(state=row.state)
    if row.state == State.CERTIFIED:
        raise DrawOver(state=row.state)
    attendance = attendance_of(row, by)
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


def is_late(draw: Draw, outcome: Outcome) -> bool:
    """Return whether the draw was made after its limit (14.III.5.4.2) [B12]."""
    return draw.due_at is not None and outcome.drawn_at > draw.due_at
