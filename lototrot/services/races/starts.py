"""Record actual starts, and declare races without a classification (14.III.4, 14.III.5.4).

The first start, and a declaration that a race is not run, close every contest on the race [E1].
Real time decides which of them came first, not the order of the legs [E2].
"""

import dataclasses
from collections.abc import Sequence
from datetime import datetime

from django.db import transaction

from core.database import clock
from core.database.locks import Lock, hold
from core.draws.services import DrawBegun, draw_announce, draw_call_off
from core.kernel.errors import Conflict, Invalid
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from lototrot import powers
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.models.running import RaceDeclaration, RaceStart
from lototrot.selectors.draws import subject_of
from lototrot.selectors.races import RaceRecord
from lototrot.services.contest.closing import contest_close
from lototrot.services.races.course import (
    DrawCertified,
    RaceClassified,
    RaceDeclared,
    RaceNotStarted,
    contests_including,
    need_reason,
    need_source,
    past_instant,
    race_get,
    race_hold,
)
from lototrot.services.races.drawing import RACE_DRAW
from lototrot.services.races.window import need_in_meeting
from lototrot.services.settlement.breach import breached_reverse

Kind = RaceDeclaration.Kind


class StartDiffers(Conflict):
    code = "start_differs"
    message = "Another start is on record. Two persons can correct it."


class StartUnchanged(Conflict):
    code = "start_unchanged"
    message = "That start is already the one on record."


class StartChanged(Conflict):
    code = "start_changed"
    message = "The start on record is no longer the one that the correction was to replace."


class OutOfOrder(Invalid):
    code = "out_of_order"
    message = "The start of a race comes before its end, its suspension and its announcement."


class NobodyToStart(Conflict):
    code = "nobody_to_start"
    message = "Every horse of the race is withdrawn: it can only be declared not run [B7]."


class RaceStarted(Conflict):
    code = "race_started"
    message = "The race has started: it can be declared suspended, but not declared not run."


class NoStarters(Invalid):
    code = "no_starters"
    message = (
        "Horses left at the start must be in the programme and not withdrawn,"
        " and some must have started."
    )


class RulingMissing(Invalid):
    code = "ruling_missing"
    message = "A horse left at the start needs the stewards' recorded ruling [B5]."


class NothingToDeclare(Conflict):
    code = "nothing_to_declare"
    message = "Every race of the meeting was run or is already declared."


class DeclarationUnknown(Conflict):
    code = "declaration_unknown"
    message = "The race has no such declaration in force."


@dataclasses.dataclass(frozen=True, slots=True)
class Left:
    """A horse that was not withdrawn but did not take the start, with the stewards' ruling [B5]."""

    number: int
    ruling: str


@transaction.atomic
def start_record(
    *, by: StaffActor, race_id: int, actual_start_at: datetime, source: str
) -> RaceStart:
    """Record the actual start and its source, and close every contest on the race [E1, E3].

    It may be later than a clock known to be behind. Again, it changes nothing. A race declared not
    run that starts later in the meeting was run, unless drawn [B13]. Raise RaceUnknown,
    NobodyToStart, SourceMissing, NaiveInstant, InstantAhead, StartBeforeMeeting, RunOnAnotherDay,
    StartDiffers, DrawBegun, DrawCertified.
    """
    by.need(powers.RECORD_START)
    need_source(source)
    race = race_get(race_id)
    record = race_hold(race)
    past_instant(actual_start_at, clock_behind=(clock_behind := clock.known_lag()))
    need_in_meeting(race, actual_start_at)
    if record.start and record.start.actual_start_at == actual_start_at:
        return record.start
    if record.start:
        raise StartDiffers(on_record=record.start.actual_start_at.isoformat())
    if record.withdrawn == set(record.programme):
        raise NobodyToStart(race=race_id)
    start: RaceStart = RaceStart.objects.create(
        race=race,
        actual_start_at=actual_start_at,
        source=source,
        recorded_at=clock.now(),
        clock_behind=clock_behind,
        recorded_by_id=by.user_id,
        recorded_in_id=by.session_id,
    )
    if record.declaration:
        _supersede(by, race, record, record.declaration, actual_start_at)
    _close(race_id, Contest.Cause.START)
    return start


def _supersede(
    by: StaffActor,
    race: Race,
    record: RaceRecord,
    declaration: RaceDeclaration,
    actual_start_at: datetime,
) -> None:
    if record.drawn is not None:
        raise DrawCertified(race=race.pk)
    draw_call_off(
        by=by,
        kind=RACE_DRAW,
        subject=subject_of(race.pk),
        reason=f"The race started at {actual_start_at.isoformat()}.",
    )
    RaceDeclaration.objects.filter(pk=declaration.pk).update(superseded_at=clock.now())


def _close(race_id: int, cause: Contest.Cause) -> None:
    for contest in contests_including(race_id):
        contest_close(contest_id=contest, cause=cause)


@transaction.atomic
def start_correct(
    *, by: StaffActor, race_id: int, actual_start_at: datetime, source: str
) -> Proposal:
    """Propose another instant for a recorded start; a second person confirms it.

    A closed contest stays closed. A settlement that has bets in breach by it is reversed [C9, E3].
    Raise RaceNotStarted, StartUnchanged, OutOfOrder, and as `start_record`.
    """
    by.need(powers.RECORD_START)
    need_source(source)
    race = race_get(race_id)
    current = RaceStart.objects.filter(race=race).order_by("-pk").first()
    proposal = two_persons.propose(
        kind=CORRECTION,
        subject=f"race:{race_id}",
        by=by,
        content={
            "race": race_id,
            "actual_start_at": actual_start_at.isoformat(),
            "source": source,
            "replaces": current.pk if current else None,
        },
    )
    _need_correctable(race_hold(race), proposal)
    return proposal


def _need_correctable(record: RaceRecord, proposal: Proposal) -> datetime:
    """Return the corrected instant. It must come before the announcement and the declaration."""
    instant = past_instant(datetime.fromisoformat(proposal.content["actual_start_at"]))
    need_in_meeting(race_get(record.race_id), instant)
    if record.start is None:
        raise RaceNotStarted(race=record.race_id)
    if record.draw_begun:
        raise DrawBegun(race=record.race_id)
    if record.start.pk != proposal.content["replaces"]:
        raise StartChanged(on_record=record.start.actual_start_at.isoformat())
    if record.start.actual_start_at == instant:
        raise StartUnchanged(race=record.race_id)
    followed = [record.classification.announced_at] if record.classification else []
    followed += [record.declaration.declared_at] if record.declaration else []
    if any(instant >= later for later in followed):
        raise OutOfOrder(before=min(followed).isoformat())
    return instant


def _corrected(proposal: Proposal, by: StaffActor) -> None:
    race = race_get(proposal.content["race"])
    instant = _need_correctable(race_hold(race), proposal)
    RaceStart.objects.create(
        race=race,
        actual_start_at=instant,
        source=proposal.content["source"],
        recorded_at=clock.now(),
        recorded_by_id=by.user_id,
        recorded_in_id=by.session_id,
        proposal=proposal,
    )
    breached_reverse(contests_including(race.pk), by=by)


@transaction.atomic
def race_declare(
    *,
    by: StaffActor,
    race_id: int,
    kind: str,
    reason: str,
    declared_at: datetime | None = None,
    left: Sequence[Left] = (),
    draw_place: str = "",
) -> RaceDeclaration:
    """Declare a race not run, or run without a classification (14.III.5.4.2, 14.III.5.4.3).

    Its result then comes from a certified draw. If the race has bets, the draw is announced at
    once: at the Central Office unless `draw_place` says otherwise, within two hours of
    `declared_at`, by default now. `left` lists the horses that did not take the start of a race
    that was suspended or had all its runners disqualified. The same declaration again changes
    nothing, but announces the draw for a contest created since. Raise RaceUnknown, ReasonMissing,
    NaiveInstant, InstantAhead, RaceDeclared, RaceClassified, RaceStarted, RaceNotStarted,
    OutOfOrder, NoStarters or RulingMissing.
    """
    by.need(powers.DECLARE_RACE)
    need_reason(reason)
    race = race_get(race_id)
    record = race_hold(race)
    instant = past_instant(declared_at) if declared_at else clock.now()
    if standing := record.declaration:
        if standing.kind != kind or declared_at not in (None, standing.declared_at):
            raise RaceDeclared(race=race_id, kind=standing.kind)
        _announce(by, race_id, draw_place)
        return standing
    _need_declarable(record, Kind(kind), instant, left)
    return _declare(by, race, Kind(kind), reason, instant, left, draw_place)


def _need_declarable(
    record: RaceRecord, kind: Kind, instant: datetime, left: Sequence[Left]
) -> None:
    if record.classification:
        raise RaceClassified(race=record.race_id)
    absent = {horse.number for horse in left}
    if kind == Kind.NOT_RUN:
        if record.start:
            raise RaceStarted(race=record.race_id)
        if absent:
            raise NoStarters(numbers=sorted(absent))
        return
    if record.start is None:
        raise RaceNotStarted(race=record.race_id)
    if instant <= record.start.actual_start_at:
        raise OutOfOrder(after=record.start.actual_start_at.isoformat())
    possible = set(record.programme) - record.withdrawn
    if len(absent) != len(left) or not absent < possible:
        raise NoStarters(numbers=sorted(absent))
    if not all(horse.ruling.strip() for horse in left):
        raise RulingMissing(
            numbers=sorted(horse.number for horse in left if not horse.ruling.strip())
        )


def _declare(
    by: StaffActor,
    race: Race,
    kind: Kind,
    reason: str,
    instant: datetime,
    left: Sequence[Left],
    draw_place: str,
) -> RaceDeclaration:
    declaration: RaceDeclaration = RaceDeclaration.objects.create(
        race=race,
        kind=kind,
        reason=reason,
        declared_at=instant,
        recorded_at=clock.now(),
        recorded_by_id=by.user_id,
        recorded_in_id=by.session_id,
        left=[dataclasses.asdict(horse) for horse in left],
    )
    if kind == Kind.NOT_RUN:
        _close(race.pk, Contest.Cause.NOT_RUN)
    _announce(by, race.pk, draw_place)
    return declaration


def _announce(by: StaffActor, race_id: int, place: str) -> None:
    """Announce the draw of a race that a contest includes. A second announcement does nothing."""
    if contests_including(race_id):
        draw_announce(by=by, kind=RACE_DRAW, subject=subject_of(race_id), place=place)


@transaction.atomic
def meeting_declare(
    *,
    by: StaffActor,
    meeting_id: int,
    reason: str,
    declared_at: datetime | None = None,
    draw_place: str = "",
) -> list[RaceDeclaration]:
    """Declare every race of the meeting that has not started as not run, in one act (14.III.5.4.2).

    Raise ReasonMissing, NaiveInstant, InstantAhead or NothingToDeclare.
    """
    by.need(powers.DECLARE_RACE)
    need_reason(reason)
    contests = Contest.objects.filter(meeting=meeting_id).values_list("pk", flat=True)
    hold((Lock.MEETING, meeting_id), *((Lock.CONTEST, contest) for contest in contests))
    instant = past_instant(declared_at) if declared_at else clock.now()
    declarations = []
    for race in Race.objects.filter(meeting=meeting_id).order_by("scheduled_start_at", "pk"):
        record = race_hold(race)
        if record.start is None and record.declaration is None:
            declarations.append(_declare(by, race, Kind.NOT_RUN, reason, instant, (), draw_place))
    if not declarations:
        raise NothingToDeclare(meeting=meeting_id)
    return declarations


@transaction.atomic
def declaration_retract(*, by: StaffActor, race_id: int, reason: str) -> Proposal:
    """Propose to retract a mistaken declaration of a race; a second person confirms it.

    No contest reopens. The draw is called off, unless it has taken place. Raise RaceUnknown,
    ReasonMissing, DeclarationUnknown, DrawBegun or DrawCertified.
    """
    by.need(powers.DECLARE_RACE)
    need_reason(reason)
    race = race_get(race_id)
    standing = RaceDeclaration.objects.filter(race=race, superseded_at=None).first()
    if standing is None:
        raise DeclarationUnknown(race=race_id)
    proposal = two_persons.propose(
        kind=RETRACTION,
        subject=f"declaration:{standing.pk}",
        by=by,
        content={"race": race_id, "declaration": standing.pk, "reason": reason},
    )
    _need_retractable(race_hold(race), proposal)
    return proposal


def _need_retractable(record: RaceRecord, proposal: Proposal) -> None:
    if record.declaration is None or record.declaration.pk != proposal.content["declaration"]:
        raise DeclarationUnknown(race=record.race_id)
    if record.drawn is not None:
        raise DrawCertified(race=record.race_id)
    if record.draw_begun:
        raise DrawBegun(race=record.race_id)


def _retracted(proposal: Proposal, by: StaffActor) -> None:
    race_id = proposal.content["race"]
    _need_retractable(race_hold(race_get(race_id)), proposal)
    draw_call_off(
        by=by, kind=RACE_DRAW, subject=subject_of(race_id), reason=proposal.content["reason"]
    )
    RaceDeclaration.objects.filter(pk=proposal.content["declaration"]).update(
        superseded_at=clock.now(), retraction=proposal
    )


CORRECTION = two_persons.Kind("lototrot.start_correction", powers.RECORD_START, apply=_corrected)
RETRACTION = two_persons.Kind(
    "lototrot.declaration_retraction", powers.DECLARE_RACE, apply=_retracted
)
