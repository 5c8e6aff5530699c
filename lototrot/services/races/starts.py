"""Record the actual starts of races, by two persons (14.III.4) [E12].

The first person reports a start, which stops the sales of every contest on the race at once. The
second one confirms it, which closes them for good [E1]. Real time decides which race came first,
not the order of the legs [E2].
"""

from dataclasses import replace
from datetime import datetime

from django.db import transaction

from core.database import clock
from core.draws.services import DrawBegun, draw_call_off
from core.kernel.errors import Conflict
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
    OutOfOrder,
    RaceNotStarted,
    contests_including,
    need_undrawn,
    past_instant,
    race_get,
    race_hold,
)
from lototrot.services.races.drawing import RACE_DRAW
from lototrot.services.races.stopping import instant_of, stop_of, stop_place, stop_reject
from lototrot.services.races.window import need_in_meeting
from lototrot.services.reasons import need_source
from lototrot.services.settlement.breach import START_CORRECTION, START_REPORT, breached_reverse


class StartDiffers(Conflict):
    code = "start_differs"
    message = "Another start is on record. Two persons can correct it."


class StartUnchanged(Conflict):
    code = "start_unchanged"
    message = "That start is already the one on record."


class StartChanged(Conflict):
    code = "start_changed"
    message = "The start on record is no longer the one that the correction was to replace."


class NobodyToStart(Conflict):
    code = "nobody_to_start"
    message = "Every horse of the race is withdrawn: it can only be declared not run [B7]."


@transaction.atomic
def start_report(
    *, by: StaffActor, race_id: int, source: str, actual_start_at: datetime | None = None
) -> Proposal:
    """Report the actual start and its source: it stops sales at once; a second person confirms it.

    The confirmation closes every contest on the race with the earlier of the two instants [E1, E3,
    E12]. Without `actual_start_at` the start is the instant of the stop. A race declared not run
    that starts later in the meeting was run, unless its draw has begun [B13]. The start may
    be later than a clock that is known to be behind. Raise RaceUnknown, SourceMissing,
    NaiveInstant, InstantAhead, StartBeforeMeeting, RunOnAnotherDay, StartUnchanged, StartDiffers,
    NobodyToStart, DrawBegun or DrawCertified.
    """
    by.need(powers.RECORD_START)
    need_source(source)
    race = race_get(race_id)
    proposal = two_persons.propose(
        kind=START,
        subject=f"race:{race_id}",
        by=by,
        content={
            "race": race_id,
            "actual_start_at": actual_start_at.isoformat() if actual_start_at else None,
            "source": source,
        },
    )
    stop_place(stop_of(by, meeting_id=race.meeting_id, race=race, source=source, proposal=proposal))
    _need_startable(race, race_hold(race), proposal)
    return proposal


def _need_startable(race: Race, record: RaceRecord, proposal: Proposal) -> datetime:
    """Return the instant of the reported start. Raise if the race cannot have started then."""
    instant = past_instant(instant_of(proposal, "actual_start_at"), clock_behind=clock.known_lag())
    need_in_meeting(race, instant)
    if record.start:
        error = StartUnchanged if record.start.actual_start_at == instant else StartDiffers
        raise error(on_record=record.start.actual_start_at.isoformat())
    if record.withdrawn == set(record.programme):
        raise NobodyToStart(race=race.pk)
    if record.declaration:
        need_undrawn(record)
    return instant


def _confirmed(proposal: Proposal, by: StaffActor) -> None:
    race = race_get(proposal.content["race"])
    record = race_hold(race)
    instant = _need_startable(race, record, proposal)
    _record(by, race, instant, proposal)
    if record.declaration:
        _supersede(by, race, record.declaration, instant)
    for contest in contests_including(race.pk):
        contest_close(contest_id=contest, cause=Contest.Cause.START, at=instant)


def _record(
    by: StaffActor,
    race: Race,
    actual_start_at: datetime,
    proposal: Proposal,
    corrects: RaceStart | None = None,
) -> None:
    RaceStart.objects.create(
        race=race,
        actual_start_at=actual_start_at,
        source=proposal.content["source"],
        recorded_at=(now := clock.now()),
        real_at=now + behind if (behind := clock.known_lag()) else None,
        recorded_by_id=by.user_id,
        recorded_in_id=by.session_id,
        proposal=proposal,
        corrects=corrects,
    )


def _supersede(
    by: StaffActor, race: Race, declaration: RaceDeclaration, actual_start_at: datetime
) -> None:
    draw_call_off(
        by=by,
        kind=RACE_DRAW,
        subject=subject_of(race.pk),
        reason=f"The race started at {actual_start_at.isoformat()}.",
    )
    RaceDeclaration.objects.filter(pk=declaration.pk).update(superseded_at=clock.now())


@transaction.atomic
def start_correct(
    *, by: StaffActor, race_id: int, actual_start_at: datetime, source: str
) -> Proposal:
    """Propose another instant for a recorded start; a second person confirms it.

    A closed contest stays closed. A settlement that has bets in breach by it is reversed [C9, E3].
    The field of the race's draw, once it is fixed, stands. While its balls wait, the same horses
    must have been withdrawn before the start.
    Raise RaceUnknown, SourceMissing, NaiveInstant, InstantAhead, RaceNotStarted, DrawBegun,
    StartUnchanged, OutOfOrder, NobodyToStart, StartBeforeMeeting or RunOnAnotherDay.
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
    corrected = replace(record, start=RaceStart(actual_start_at=instant))
    if record.draw_begun and corrected.withdrawn != record.withdrawn:
        raise DrawBegun(race=record.race_id)
    if record.start.pk != proposal.content["replaces"]:
        raise StartChanged(on_record=record.start.actual_start_at.isoformat())
    if record.start.actual_start_at == instant:
        raise StartUnchanged(race=record.race_id)
    followed = [record.classification.announced_at] if record.classification else []
    followed += [record.declaration.declared_at] if record.declaration else []
    if any(instant >= later for later in followed):
        raise OutOfOrder(before=min(followed).isoformat())
    if not corrected.has_starters:
        raise NobodyToStart(race=record.race_id)
    return instant


def _corrected(proposal: Proposal, by: StaffActor) -> None:
    race = race_get(proposal.content["race"])
    record = race_hold(race)
    instant = _need_correctable(record, proposal)
    _record(by, race, instant, proposal, corrects=record.start)
    breached_reverse(by, contests_including(race.pk))


START = two_persons.Kind(
    START_REPORT, powers.RECORD_START, apply=_confirmed, reject=stop_reject, good_for=None
)
CORRECTION = two_persons.Kind(START_CORRECTION, powers.RECORD_START, apply=_corrected)
