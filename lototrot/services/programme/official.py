"""Import the official programme from a file and record its approval by the Federation.

A meeting is stored as its file says and does not change. A corrected programme is another file with
another reference, if the first is not used yet. An approved programme changes by withdrawals only
(14.III.5.2).
"""

import datetime
import json
from collections.abc import Callable
from typing import Literal

from django.db import transaction
from django.db.models import QuerySet

from core.database import clock
from core.database.locks import Lock, hold
from core.kernel.canonical import canonical_sha256
from core.kernel.days import NaiveInstant
from core.kernel.errors import Conflict, Invalid, NotFound
from core.staff.actor import StaffActor
from lototrot import powers
from lototrot.engine import programme as official
from lototrot.engine.jornada import jornada
from lototrot.engine.programme_csv import parse_csv
from lototrot.engine.programme_json import parse_json, to_json
from lototrot.models.programme import FederationApproval, Meeting, Race, Racecourse, Runner
from lototrot.selectors.contests import figures_of

Format = Literal["json", "csv"]
READERS: dict[str, Callable[[bytes], official.Programme]] = {"json": parse_json, "csv": parse_csv}
LABEL_CHARS = 200


class MeetingUnknown(NotFound):
    code = "meeting_unknown"
    message = "There is no such meeting."


class ProgrammeRecorded(Conflict):
    """The reference is used by another programme. `data`: meeting, reference."""

    code = "programme_recorded"
    message = "Another programme has that reference. A corrected programme needs a new one."


class RacecourseDiffers(Conflict):
    """The racecourse is recorded with another time zone or country.

    `data`: racecourse, on_record.
    """

    code = "racecourse_differs"
    message = "A racecourse is on record with another time zone or country."


class ApprovalRecorded(Conflict):
    code = "approval_recorded"
    message = "Another approval of this programme is on record, and it stays."


class ApprovalIncomplete(Invalid):
    code = "approval_incomplete"
    message = "An approval needs the name of who gave it, and a reference (14.III.5.2)."


class ApprovalAhead(Invalid):
    code = "approval_ahead"
    message = "The date of the approval is in the future."


@transaction.atomic
def programme_import(*, by: StaffActor, data: bytes, format: Format) -> Meeting:  # noqa: A002
    """Record a programme from a file.

    The same programme again, in either format, is the same meeting. Raise ProgrammeInvalid with
    every error and its position in the file, ProgrammeRecorded or RacecourseDiffers.
    """
    by.need(powers.IMPORT_PROGRAMME)
    programme = READERS[format](data)
    document = json.loads(to_json(programme))
    digest = canonical_sha256(document)
    hold((Lock.MEETING, 0))  # two imports could have the same reference or racecourse
    recorded: Meeting | None = Meeting.objects.filter(reference=programme.reference).first()
    if recorded is not None:
        if bytes(recorded.document_digest) != digest:
            raise ProgrammeRecorded(meeting=recorded.pk, reference=recorded.reference)
        return recorded
    first_start_at = min(race.scheduled_start for race in programme.races)
    figures = figures_of(programme.day).lototrot.meeting
    window = jornada(programme.day, first_start_at, programme.ends_next_day_at, figures)
    courses = {course.code: _racecourse(course) for course in programme.racecourses}
    meeting: Meeting = Meeting.objects.create(
        day=programme.day,
        begins_at=window.begins_at,
        ends_at=window.ends_at,
        name=programme.name,
        reference=programme.reference,
        document=document,
        document_digest=digest,
        imported_at=clock.now(),
        imported_by_id=by.user_id,
        imported_in_id=by.session_id,
    )
    for race in programme.races:
        _race(meeting, courses[race.racecourse], race)
    return meeting


def _racecourse(entry: official.Racecourse) -> Racecourse:
    """Return the racecourse of that code, created or updated.

    Its time zone and country do not change.
    """
    recorded: Racecourse | None = Racecourse.objects.filter(code=entry.code).first()
    if recorded is None:
        return Racecourse.objects.create(
            code=entry.code,
            name=entry.name,
            timezone=entry.timezone,
            municipality=entry.municipality,
            country=entry.country,
        )
    if (recorded.timezone, recorded.country) != (entry.timezone, entry.country):
        raise RacecourseDiffers(
            racecourse=recorded.code,
            on_record={"timezone": recorded.timezone, "country": recorded.country},
        )
    if (recorded.name, recorded.municipality) != (entry.name, entry.municipality):
        recorded.name, recorded.municipality = entry.name, entry.municipality
        recorded.save(update_fields=["name", "municipality"])
    return recorded


def _race(meeting: Meeting, course: Racecourse, entry: official.Race) -> None:
    race = Race.objects.create(
        meeting=meeting,
        racecourse=course,
        number=entry.number,
        name=entry.name,
        scheduled_start_at=entry.scheduled_start,
        distance_m=entry.distance_m,
        start_method=entry.start_method or "",
        category=(entry.conditions or "")[:LABEL_CHARS],  # a label; the document has all of it
    )
    Runner.objects.bulk_create(
        Runner(
            race=race,
            number=runner.number,
            name=runner.name,
            driver=runner.driver or "",
            trainer=runner.trainer or "",
            distance_m=runner.distance_m,
            sex_age=" ".join(str(part) for part in (runner.sex, runner.age_years) if part),
        )
        for runner in entry.runners
    )


@transaction.atomic
def approval_record(
    *,
    by: StaffActor,
    meeting: Meeting,
    approved_by: str,
    approved_at: datetime.datetime,
    reference: str,
) -> FederationApproval:
    """Record that the Federation approved or adopted the programme (14.III.5.2).

    The same approval again changes nothing. Raise ApprovalIncomplete, NaiveInstant, ApprovalAhead
    or ApprovalRecorded.
    """
    by.need(powers.APPROVE_PROGRAMME)
    if not (approved_by.strip() and reference.strip()):
        raise ApprovalIncomplete
    if approved_at.utcoffset() is None:
        raise NaiveInstant
    hold((Lock.MEETING, meeting.pk))
    now = clock.now()
    if approved_at > now:
        raise ApprovalAhead(now=now.isoformat())
    columns = {"approved_by": approved_by, "approved_at": approved_at, "reference": reference}
    approval: FederationApproval | None = FederationApproval.objects.filter(meeting=meeting).first()
    if approval is not None:
        if any(getattr(approval, name) != value for name, value in columns.items()):
            raise ApprovalRecorded(meeting=meeting.pk)
        return approval
    return FederationApproval.objects.create(
        meeting=meeting,
        recorded_by_id=by.user_id,
        recorded_in_id=by.session_id,
        recorded_at=now,
        **columns,
    )


def meeting_get(pk: int) -> Meeting:
    """Return a meeting with its approval. Raise MeetingUnknown."""
    meeting = meetings().filter(pk=pk).first()
    if meeting is None:
        raise MeetingUnknown(meeting=pk)
    return meeting


def meetings() -> QuerySet[Meeting]:
    """Return every meeting with its approval. The document is not loaded."""
    return Meeting.objects.select_related("approval").defer("document")
