"""Make the documents that are published about a draw, to the byte (docs/proofs/draws.md).

They hold texts, whole numbers and lists.
"""

from datetime import datetime

from django.db.models import QuerySet
from django.utils.translation import gettext, override

from core.database import clock
from core.draws import method
from core.draws.balls import balls_of, draws_announcing
from core.draws.models import (
    Abandonment,
    Announcement,
    Attendance,
    CallOff,
    Commitment,
    Draw,
    DrawCertificate,
    DrawField,
    Outcome,
    PlaceReason,
)
from core.kernel.canonical import Json, with_digests
from core.kernel.languages import LANGUAGES
from core.proofs.wire import instant
from core.staff.models import Decision, Proposal

COMMITMENT = "draws.commitment"
OUTCOME = "draws.outcome"
MINUTES = "draws.minutes"
CALLED_OFF = "draws.called_off"
ABANDONED = "draws.abandoned"
BALLS = "draws.balls"

# A longer field is published beside the documents, which then have its digest only.
MOST_INLINE = 100


def commitment_document(draw: Draw, field: DrawField, commitment: Commitment) -> dict[str, Json]:
    """Return the document that binds the operator before the witness acts."""
    return with_digests(
        {
            "format": "trot-draw-commitment-1",
            **_named(draw),
            "algorithm": method.ALGORITHM,
            "field": _field(field),
            "means": _means(commitment),
            "commitment": bytes(commitment.digest).hex(),
            "committed_at": instant(commitment.committed_at),
        }
    )


def outcome_document(draw: Draw, outcome: Outcome) -> dict[str, Json]:
    """Return the order and what it was computed from. It is published before the certificate."""
    return with_digests({"format": "trot-draw-outcome-1", **_named(draw), **_outcome(outcome)})


def balls_document(draw: Draw, proposal: Proposal) -> dict[str, Json]:
    """Return an order of balls as it was entered, before an inspector confirms or rejects it."""
    drawn_at = datetime.fromisoformat(proposal.content["drawn_at"])
    return with_digests(
        {
            "format": "trot-draw-balls-1",
            **_named(draw),
            "balls": str(proposal.uuid),
            "order": proposal.content["order"],
            "drawn_at": instant(drawn_at),
            "witness": proposal.content["witness"],
            "cause": proposal.content["cause"],
            "entered_at": instant(proposal.proposed_at),
            "entered_by": proposal.proposed_by_id,
        }
    )


def called_off_document(draw: Draw, call_off: CallOff) -> dict[str, Json]:
    """Return the reason why an announced draw does not take place."""
    return with_digests(
        {
            "format": "trot-draw-called-off-1",
            **_named(draw),
            "reason": call_off.reason,
            "called_off_at": instant(call_off.called_off_at),
        }
    )


def abandoned_document(
    draw: Draw, commitment: Commitment, abandonment: Abandonment
) -> dict[str, Json]:
    """Return the secret of a draw that inspector and organiser gave up, and why [B16]."""
    return with_digests(
        {
            "format": "trot-draw-abandoned-1",
            **_named(draw),
            "reason": abandonment.reason,
            "commitment": bytes(commitment.digest).hex(),
            "secret": bytes(abandonment.secret).hex(),
            "inspector": _attendance(abandonment.attendance),
            "abandoned_at": instant(abandonment.abandoned_at),
        }
    )


def minutes_document(draw: Draw, outcome: Outcome, certificate: DrawCertificate) -> dict[str, Json]:
    """Return the minutes that the inspector certifies (14.III.5.4.4)."""
    field = DrawField.objects.get(draw=draw)
    commitment = Commitment.objects.filter(draw=draw).first()
    earlier = Draw.objects.filter(kind=draw.kind, subject=draw.subject, pk__lt=draw.pk)
    counting = draws_announcing(draw, outcome.drawn_at)
    announced = Announcement.objects.filter(draw__in=counting).order_by("pk")
    attended = Attendance.objects.filter(draw__in=counting).order_by("pk")
    return with_digests(
        {
            "format": "trot-draw-minutes-1",
            **_named(draw),
            "title": draw.title,
            "reason": draw.reason,
            "declared_at": instant(draw.declared_at),
            "due_at": _instant(draw.due_at),
            "facts": field.facts,
            "announcements": [_announcement(row) for row in announced],
            "field": _field(field),
            "algorithm": method.ALGORITHM,
            "means": _means(commitment) if commitment else None,
            "commitment": bytes(commitment.digest).hex() if commitment else None,
            "committed_at": instant(commitment.committed_at) if commitment else None,
            **_outcome(outcome),
            "late": certificate.late,
            "late_cause": certificate.late_cause,
            "inspector": _attendance(certificate.attendance),
            "attendances": [_attendance(row) for row in attended],
            "observations": certificate.observations,
            "certified_at": instant(certificate.certified_at),
            "called_off_before": _uuids(earlier.filter(state=Draw.State.CALLED_OFF)),
            "abandoned_before": _uuids(earlier.filter(state=Draw.State.ABANDONED)),
            "rejected": [_rejected(row) for row in balls_of(draw) if row.pk != outcome.proposal_id],
            "statement": _statements(certificate),
            "simulated": clock.is_simulated(),
        }
    )


def _rejected(proposal: Proposal) -> dict[str, Json]:
    """Return an order of balls that does not stand: it was rejected, or lapsed without a decision.

    Who rejected it is named where they are an inspector.
    """
    decision: Decision | None = getattr(proposal, "decision", None)
    inspector = decision.decided_by if decision and decision.decided_by.appointment else None
    return {
        "balls": str(proposal.uuid),
        "order": proposal.content["order"],
        "entered_at": instant(proposal.proposed_at),
        "entered_by": proposal.proposed_by_id,
        "rejected_at": instant(decision.decided_at) if decision else None,
        "inspector": {"name": inspector.full_name, "appointment": inspector.appointment}
        if inspector
        else None,
        "reason": decision.reason if decision else "",
    }


def _uuids(draws: QuerySet[Draw]) -> list[Json]:
    return [str(draw.uuid) for draw in draws.order_by("pk")]


def _named(draw: Draw) -> dict[str, Json]:
    return {"draw": str(draw.uuid), "kind": draw.kind, "subject": draw.subject}


def _field(field: DrawField) -> dict[str, Json]:
    return {
        "size": field.size,
        "places": field.places,
        "sha256": bytes(field.digest).hex(),
        "entries": field.entries if field.size <= MOST_INLINE else None,
        "fixed_at": instant(field.fixed_at),
    }


def _means(commitment: Commitment) -> dict[str, Json]:
    return {"source": commitment.source, "pieces": commitment.pieces}


def _outcome(outcome: Outcome) -> dict[str, Json]:
    computed = outcome.method == Outcome.Method.COMPUTED
    entered_by = Attendance.objects.get(draw=outcome.draw_id, inspector=outcome.entered_by_id)
    return {
        "method": str(outcome.method),
        "cause": outcome.cause,
        "place": outcome.place,
        "witness": outcome.witness,
        "entropy": {
            "source": outcome.source,
            "text": outcome.entropy_text,
            "canonical": outcome.entropy,
        }
        if computed
        else None,
        "secret": bytes(outcome.secret).hex() if outcome.secret is not None else None,
        "order": outcome.order,
        "drawn_at": instant(outcome.drawn_at),
        "entered_at": instant(outcome.entered_at),
        "entered_by": _attendance(entered_by),
    }


def _announcement(announcement: Announcement) -> dict[str, Json]:
    elsewhere: PlaceReason | None = getattr(announcement, "elsewhere", None)
    return {
        "place": announcement.place,
        "office": announcement.office.code if announcement.office else None,
        "elsewhere": _elsewhere(elsewhere) if elsewhere else None,
        "planned_at": instant(announcement.planned_at),
        "announced_at": instant(announcement.announced_at),
    }


def _elsewhere(elsewhere: PlaceReason) -> dict[str, Json]:
    """Return the inspector's reason for a place that is no Central Office [B16]."""
    return {
        "reason": elsewhere.reason,
        "inspector": _attendance(elsewhere.attendance),
        "stated_at": instant(elsewhere.stated_at),
    }


def _attendance(attendance: Attendance) -> dict[str, Json]:
    return {
        "name": attendance.inspector.full_name,
        "appointment": attendance.appointment,
        "attended_at": instant(attendance.attended_at),
    }


def _instant(at: datetime | None) -> str | None:
    return instant(at) if at else None


def _statements(certificate: DrawCertificate) -> dict[str, Json]:
    """Return the inspector's statement in every language."""
    statements: dict[str, Json] = {}
    for language in LANGUAGES:
        with override(language):
            statements[language] = gettext(
                "%(name)s, inspector by %(appointment)s, certifies that the draw took place as"
                " these minutes say (14.III.5.4.4)."
            ) % {
                "name": certificate.attendance.inspector.full_name,
                "appointment": certificate.attendance.appointment,
            }
    return statements
