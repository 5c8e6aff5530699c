"""Announce a public draw, record who attends it, and call it off (14.III.5.4.2, 14.III.5.4.4).

`conducting` takes the steps from the commitment on. Every step is one transaction and may be sent
again. The database refuses steps out of order, too (`sql/draws.sql`).
"""

import uuid
from datetime import datetime, timedelta
from itertools import pairwise

from django.db import transaction

from core.database import clock
from core.database.clock import row_uuid
from core.draws import documents, powers
from core.draws.balls import do_balls_wait, draws_announcing
from core.draws.kinds import Kind, kind_of
from core.draws.models import Announcement, Attendance, CallOff, Commitment, Draw, PlaceReason
from core.draws.places import placed
from core.kernel.days import natural_day
from core.kernel.errors import Conflict, Forbidden, Invalid, NotFound
from core.kernel.regulation import shipped
from core.proofs.log import publish
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import User

State = Draw.State


class DrawUnknown(NotFound):
    code = "draw_unknown"
    message = "There is no such public draw."


class DrawOver(Conflict):
    code = "draw_over"
    message = (
        "The draw is certified, called off or abandoned: nothing more happens to it [B13, B16]."
    )


class DrawBegun(Conflict):
    code = "draw_begun"
    message = "The draw has begun: what it is about can no longer be changed [B13, B16]."


class PlaceNeeded(Invalid):
    code = "draw_place_needed"
    message = "The place of the draw must be announced before the draw begins (14.III.5.4.2)."


class NoticeTooShort(Invalid):
    """The time is too near. `data["earliest_at"]` is the earliest that can be announced now."""

    code = "draw_notice_too_short"
    message = "A public draw is announced at least ten minutes ahead [B16]."


class BeforeAnnounced(Conflict):
    """`data["planned_at"]` is the newest announced time."""

    code = "draw_before_announced"
    message = "A public draw does not begin before its newest announced time [B16]."


class PlaceUnregistered(Conflict):
    """`data["place"]` is the announced place."""

    code = "draw_place_unregistered"
    message = (
        "A draw is held at a registered Central Office. For another place, an inspector who"
        " attends must give the reason [B16]."
    )


class AnnouncedLate(Conflict):
    """`data["planned_at"]` is the newest announced time."""

    code = "draw_announced_late"
    message = (
        "The draw was announced anew after its announced time had come: an inspector who attends"
        " must say why [B16]."
    )


class PlaceRegistered(Conflict):
    code = "draw_place_registered"
    message = "The draw is announced at a registered Central Office, in time: no reason is needed."


class ReasonNeeded(Invalid):
    code = "draw_reason_needed"
    message = "The reason is needed: the minutes will have it [B16]."


class InspectorAbsent(Forbidden):
    code = "draw_inspector_absent"
    message = "Only an inspector who attends this draw does this (14.III.5.4.4) [B16]."


class NotApart(Forbidden):
    code = "draw_persons_not_apart"
    message = (
        "The inspector of a draw must not be the person who announced it or committed to it [B16]."
    )


def draw_of(*, kind: Kind, subject: str) -> Draw | None:
    """Return the draw of a subject that was not called off or abandoned; None if there is none."""
    standing = Draw.objects.exclude(state__in=Draw.FALLEN)
    draw: Draw | None = standing.filter(kind=kind.name, subject=subject).first()
    return draw


@transaction.atomic
def draw_announce(
    *, by: StaffActor, kind: Kind, subject: str, place: str = "", planned_at: datetime | None = None
) -> Draw:
    """Announce the draw of a subject; return the existing draw if it is already announced.

    For the services of a game, which have checked the power and hold their locks. By default the
    place is the Central Office, and the time is midway to the limit, so that the draw can be in
    time; never before the notice has passed. Raises NoticeTooShort.
    """
    existing = draw_of(kind=kind, subject=subject)
    if existing is not None:
        return existing
    matter, now = kind.matter(subject), clock.now()
    draw: Draw = Draw.objects.create(
        uuid=row_uuid(now),
        kind=kind.name,
        subject=subject,
        title=dict(matter.title),
        reason=matter.reason,
        declared_at=matter.declared_at,
        due_at=matter.due_at,
        created_at=now,
    )
    earliest = now + _notice(now)
    midway = now + (matter.due_at - now) / 2 if matter.due_at else earliest
    _announce(draw, place, planned_at or max(earliest, midway), by, now)
    return draw


@transaction.atomic
def draw_reannounce(
    *, by: StaffActor, draw: uuid.UUID, place: str, planned_at: datetime
) -> Announcement:
    """Announce another place or time, before the commitment.

    `place` is the code of a registered Central Office, its name and address, or another place. If
    the announced time has come, nothing is drawn at the new time until an inspector has said why.
    Balls that were drawn before count by the announcement in force when they were drawn [B16].
    Raises PowerMissing, DrawUnknown, PlaceNeeded, NoticeTooShort, NotApart, DrawBegun, DrawOver.
    """
    by.need(powers.CONDUCT)
    row = draw_held(draw)
    if not place.strip():
        raise PlaceNeeded
    need_not_begun(row)
    need_not_inspecting(row, by)
    return _announce(row, place, planned_at, by, clock.now())


def _notice(at: datetime) -> timedelta:
    return timedelta(seconds=shipped().in_force(natural_day(at)).draw_notice_s)


def _announce(
    draw: Draw, named: str, planned_at: datetime, by: StaffActor, now: datetime
) -> Announcement:
    notice = _notice(now)
    if planned_at < now + notice:
        raise NoticeTooShort(earliest_at=(now + notice).isoformat())
    office, place = placed(named)
    return Announcement.objects.create(
        draw=draw,
        office=office,
        place=place,
        notice_s=int(notice.total_seconds()),
        planned_at=planned_at,
        announced_at=now,
        announced_by_id=by.user_id,
        announced_in_id=by.session_id,
    )


def announcement_of(draw: Draw) -> Announcement:
    """Return the newest announcement of the draw."""
    return Announcement.objects.filter(draw=draw).latest("pk")


def is_announced_late(announced: Announcement) -> bool:
    """Return whether it was announced only after an announced time of the draw had come [B16]."""
    earlier = Announcement.objects.filter(draw=announced.draw_id, pk__lte=announced.pk)
    times = earlier.order_by("pk").values_list("planned_at", "announced_at")
    return any(planned_at <= anew_at for (planned_at, _), (_, anew_at) in pairwise(times))


def need_as_announced(draw: Draw, at: datetime) -> Announcement:
    """Check that a draw at this instant is where and when it was announced; return that [B16].

    The announcement of that instant counts: nobody makes balls void by a later one, unless an
    inspector has said why it counts instead. Raises PlaceNeeded, BeforeAnnounced,
    PlaceUnregistered, AnnouncedLate.
    """
    of_draw = Announcement.objects.filter(draw__in=draws_announcing(draw, at))
    announced = of_draw.filter(announced_at__lte=at).order_by("pk").last()
    instead = of_draw.filter(announced_at__gt=at, elsewhere__isnull=False)
    if announced is None or instead.exists():
        raise BeforeAnnounced(planned_at=announcement_of(draw).planned_at.isoformat())
    if not announced.place:
        raise PlaceNeeded
    if at < announced.planned_at:
        raise BeforeAnnounced(planned_at=announced.planned_at.isoformat())
    if hasattr(announced, "elsewhere"):
        return announced
    if announced.office_id is None:
        raise PlaceUnregistered(place=announced.place)
    if is_announced_late(announced):
        raise AnnouncedLate(planned_at=announced.planned_at.isoformat())
    return announced


@transaction.atomic
def draw_attend(*, by: StaffActor, draw: uuid.UUID) -> Attendance:
    """Record that the inspector signed on is present, and may certify. Twice changes nothing.

    Another inspector may take over at any time. Raises PowerMissing, SecondPersonTooNew,
    DrawUnknown, DrawOver, NotApart.
    """
    by.need(powers.CERTIFY)
    two_persons.need_second(by)
    row = draw_held(draw)
    present = Attendance.objects.filter(draw=row, inspector=by.user_id).first()
    if present is not None:
        return present
    announced = Announcement.objects.filter(draw=row, announced_by=by.user_id)
    if announced.exists() or Commitment.objects.filter(draw=row, committed_by=by.user_id).exists():
        raise NotApart
    return Attendance.objects.create(
        draw=row,
        inspector_id=by.user_id,
        session_id=by.session_id,
        attended_at=clock.now(),
        appointment=User.objects.values_list("appointment", flat=True).get(pk=by.user_id),
    )


def attendance_of(draw: Draw, by: StaffActor) -> Attendance:
    """Return the attendance of the inspector signed on, whose account is not new.

    A person who has given that account a password since may hold it, and could choose the draw.
    Raises SecondPersonTooNew, InspectorAbsent.
    """
    two_persons.need_second(by)
    attendance: Attendance | None = Attendance.objects.filter(
        draw=draw, inspector=by.user_id
    ).first()
    if attendance is None:
        raise InspectorAbsent
    return attendance


def need_not_inspecting(draw: Draw, by: StaffActor) -> None:
    """Refuse that an inspector of the draw announces it or commits to it. Raises NotApart."""
    if Attendance.objects.filter(draw=draw, inspector=by.user_id).exists():
        raise NotApart


@transaction.atomic
def place_justify(*, by: StaffActor, draw: uuid.UUID, reason: str) -> PlaceReason:
    """Record the inspector's reason for a draw elsewhere than at a Central Office [B16], or for one
    that was announced anew after its time had come: nothing was drawn before.

    It is for the newest announcement; the first reason stands, and sending it again changes
    nothing. Raises PowerMissing, ReasonNeeded, DrawUnknown, DrawOver, SecondPersonTooNew,
    InspectorAbsent, DrawBegun, PlaceNeeded, PlaceRegistered.
    """
    by.need(powers.CERTIFY)
    if not reason.strip():
        raise ReasonNeeded
    row = draw_held(draw)
    attendance, announced = attendance_of(row, by), announcement_of(row)
    existing = PlaceReason.objects.filter(announcement=announced).first()
    if existing is not None:
        return existing
    if row.state != State.ANNOUNCED:
        raise DrawBegun(state=row.state)
    if not announced.place:
        raise PlaceNeeded
    if announced.office_id is not None and not is_announced_late(announced):
        raise PlaceRegistered(place=announced.place)
    return PlaceReason.objects.create(
        announcement=announced,
        attendance=attendance,
        session_id=by.session_id,
        reason=reason,
        stated_at=clock.now(),
    )


@transaction.atomic
def draw_call_off(*, by: StaffActor, kind: Kind, subject: str, reason: str) -> Draw | None:
    """Call off the draw of a subject that fell away; None if the subject has no draw.

    For the services of a game. From the commitment on the draw stands, unless inspector and
    organiser abandon it (`abandoning`), and while balls wait for the inspector. Raises DrawBegun,
    DrawOver.
    """
    draw = draw_of(kind=kind, subject=subject)
    if draw is None:
        return None
    draw = draw_held(draw.uuid)
    need_not_begun(draw)
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


def need_not_begun(draw: Draw) -> None:
    """Refuse what comes too late: the draw is committed to, or its balls wait for the inspector.

    The caller holds the draw. Raises DrawBegun.
    """
    if draw.state != State.ANNOUNCED or do_balls_wait(draw):
        raise DrawBegun(state=draw.state)


def draw_held(ident: uuid.UUID, *, certified: bool = False) -> Draw:
    """Take the game's locks and lock the draw's row to the transaction's end; return the draw.

    With `certified`, a certified draw is returned too. Raises DrawUnknown, DrawOver.
    """
    draw = Draw.objects.filter(uuid=ident).first()
    if draw is None:
        raise DrawUnknown
    kind_of(draw.kind).hold(draw.subject)
    locked = Draw.objects.select_for_update(no_key=True).get(pk=draw.pk)
    if locked.state in (Draw.FALLEN if certified else Draw.OVER):
        raise DrawOver(state=locked.state)
    return locked


def state_move(draw: Draw, state: Draw.State) -> None:
    """Move the draw to a state, if it still is in the state that was read."""
    Draw.objects.filter(pk=draw.pk, state=draw.state).update(state=state)
    draw.state = state
