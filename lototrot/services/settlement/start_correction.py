"""Correct the actual start of a race, by two persons (14.III.4) [C9, E3].

Bets that were in time may then be in breach, or the other way round. So it may undo a settlement.
"""

from dataclasses import replace
from datetime import datetime

from django.db import transaction

from core.draws.services import DrawBegun
from core.kernel.errors import Conflict
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from lototrot import powers
from lototrot.models.running import RaceStart
from lototrot.selectors.races import RaceRecord
from lototrot.services.races.course import (
    OutOfOrder,
    RaceNotStarted,
    contests_including,
    past_instant,
    race_get,
    race_hold,
)
from lototrot.services.races.starts import NobodyToStart, StartUnchanged, start_record
from lototrot.services.races.window import need_in_meeting
from lototrot.services.reasons import need_source
from lototrot.services.settlement.breach import START_CORRECTION, breached_reverse


class StartChanged(Conflict):
    code = "start_changed"
    message = "The start on record is no longer the one that the correction was to replace."


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
    start_record(by, race, instant, proposal, corrects=record.start)
    breached_reverse(by, contests_including(race.pk))


CORRECTION = two_persons.Kind(START_CORRECTION, powers.RECORD_START, apply=_corrected)
