"""Record the actual starts of races, by two persons (14.III.4) [E12].

The first person reports a start, which stops the sales of every contest on the race at once. The
second one confirms it, which closes them for good [E1]. Real time decides which race came first,
not the order of the legs [E2].
"""

from datetime import datetime

from django.db import transaction

from core.database import clock
from core.draws.services import draw_call_off
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


class StartDiffers(Conflict):
    code = "start_differs"
    message = "Another start is on record. Two persons can correct it."


class StartUnchanged(Conflict):
    code = "start_unchanged"
    message = "That start is already the one on record."


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
    start_record(by, race, instant, proposal)
    if record.declaration:
        _supersede(by, race, record.declaration, instant)
    for contest in contests_including(race.pk):
        contest_close(contest_id=contest, cause=Contest.Cause.START, at=instant)


def start_record(
    by: StaffActor,
    race: Race,
    actual_start_at: datetime,
    proposal: Proposal,
    corrects: RaceStart | None = None,
) -> None:
    """Record the start that two persons stated, in the place of `corrects` if there is one."""
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


START = two_persons.Kind(
    "lototrot.start", powers.RECORD_START, apply=_confirmed, reject=stop_reject, good_for=None
)
