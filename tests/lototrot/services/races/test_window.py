"""Refuse a start outside its meeting: in the service and in the database [B13, B15]."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from lototrot.models.programme import Race
from lototrot.selectors.jornadas import jornada_of
from lototrot.services.races.window import RunOnAnotherDay, StartBeforeMeeting, need_in_meeting
from tests.support import factories

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.4")]
TICK = timedelta(microseconds=1)


@pytest.fixture
def race() -> Race:
    race: Race = factories.meeting(races=1).races.get()
    return race


def test_the_first_instant_is_inside_and_the_last_one_not(race: Race) -> None:
    window = jornada_of(race.meeting)
    need_in_meeting(race, window.begins_at)
    need_in_meeting(race, window.ends_at - TICK)
    with pytest.raises(StartBeforeMeeting) as early:
        need_in_meeting(race, window.begins_at - TICK)
    assert early.value.data["begins_at"] == window.begins_at.isoformat()
    with pytest.raises(RunOnAnotherDay) as late:
        need_in_meeting(race, window.ends_at)
    assert late.value.data["ends_at"] == window.ends_at.isoformat()


def test_the_database_refuses_it_too(race: Race) -> None:
    window = jornada_of(race.meeting)
    for instant in (window.begins_at - TICK, window.ends_at):
        with pytest.raises(IntegrityError, match="outside its meeting"), transaction.atomic():
            factories.started(race, at=instant)
    factories.started(race, at=window.begins_at)
