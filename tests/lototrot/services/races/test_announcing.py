"""The new time of a start is on record as the stewards announced it [E13]."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from core.database import clock
from core.kernel.days import NaiveInstant
from core.staff.actor import PowerMissing
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.models.running import StartAnnouncement
from lototrot.selectors.announced import first_start_announced
from lototrot.services.races.announcing import AnnouncedInThePast, RaceUnderWay, start_announce
from lototrot.services.races.course import RaceClassified, RaceDeclared
from lototrot.services.races.window import RunOnAnotherDay
from lototrot.services.reasons import SourceMissing
from tests.support import factories as f

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.4")]


def announce(race, at, role: Role = Role.STEWARDS, source: str = "Stewards"):
    return start_announce(by=f.staff(role), race_id=race.pk, start_at=at, source=source)


def test_the_newest_is_in_force_and_the_first_race_counts(contest: Contest) -> None:
    first, second, *_ = f.races_of(contest)
    planned = first.scheduled_start_at
    assert first_start_announced(contest) == planned
    announce(first, planned + timedelta(minutes=40))
    assert first_start_announced(contest) == second.scheduled_start_at
    one = announce(first, planned + timedelta(minutes=10))
    assert announce(first, planned + timedelta(minutes=10)).pk == one.pk
    assert first_start_announced(contest) == planned + timedelta(minutes=10)


def test_what_cannot_be_is_refused(contest: Contest) -> None:
    first, second, third, *_ = f.races_of(contest)
    later = first.scheduled_start_at + timedelta(minutes=10)
    with pytest.raises(PowerMissing):
        announce(first, later, Role.ORGANISER)
    with pytest.raises(SourceMissing):
        announce(first, later, source=" ")
    with pytest.raises(NaiveInstant):
        announce(first, later.replace(tzinfo=None))
    with pytest.raises(AnnouncedInThePast):
        announce(first, clock.now())
    with pytest.raises(RunOnAnotherDay):
        announce(first, later + timedelta(days=2))
    f.started(first)
    f.declared(second)
    f.classified(third, [1])
    for race, error in ((first, RaceUnderWay), (second, RaceDeclared), (third, RaceClassified)):
        with pytest.raises(error):
            announce(race, later)
    assert not StartAnnouncement.objects.exists()


def test_the_database_refuses_one_of_the_past(contest: Contest) -> None:
    by, now = f.staff(), clock.now()
    with pytest.raises(IntegrityError), transaction.atomic():
        StartAnnouncement.objects.create(
            race=f.races_of(contest)[0],
            start_at=now,
            source="x",
            announced_at=now,
            announced_by_id=by.user_id,
            announced_in_id=by.session_id,
        )
