"""Record the new time of a race's start, as the stewards announce it (14.III.4) [E13]."""

from datetime import datetime

from django.db import transaction

from core.database import clock
from core.kernel.days import NaiveInstant
from core.kernel.errors import Conflict, Invalid
from core.staff.actor import StaffActor
from lototrot import powers
from lototrot.models.running import StartAnnouncement
from lototrot.services.races.course import (
    need_undecided,
    race_get,
    race_hold,
)
from lototrot.services.races.window import need_in_meeting
from lototrot.services.reasons import need_source


class AnnouncedInThePast(Invalid):
    code = "announced_in_the_past"
    message = "The new time of the start must be ahead."


class RaceUnderWay(Conflict):
    code = "race_under_way"
    message = "The race has started: no other time of its start is announced."


@transaction.atomic
def start_announce(
    *, by: StaffActor, race_id: int, start_at: datetime, source: str
) -> StartAnnouncement:
    """Record the announced time of a start; the newest is in force.

    The same time again changes nothing. Raise RaceUnknown, SourceMissing, NaiveInstant,
    AnnouncedInThePast, RaceUnderWay, RaceDeclared, RaceClassified, StartBeforeMeeting or
    RunOnAnotherDay.
    """
    by.need(powers.RECORD_START)
    need_source(source)
    race = race_get(race_id)
    record = race_hold(race)
    if start_at.utcoffset() is None:
        raise NaiveInstant
    if start_at <= clock.now():
        raise AnnouncedInThePast
    need_undecided(record)
    if record.start:
        raise RaceUnderWay(race=race_id)
    need_in_meeting(race, start_at)
    newest: StartAnnouncement | None = race.start_announcements.order_by("-pk").first()
    if newest is not None and newest.start_at == start_at:
        return newest
    return StartAnnouncement.objects.create(
        race=race,
        start_at=start_at,
        source=source,
        announced_at=clock.now(),
        announced_by_id=by.user_id,
        announced_in_id=by.session_id,
    )
