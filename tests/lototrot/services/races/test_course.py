"""Check what all acts about a race share: its record, its contests and instants."""

from datetime import datetime, timedelta

import pytest

from core.database import clock
from core.kernel.days import NaiveInstant
from lototrot.models.contest import Contest
from lototrot.selectors.contests import RaceUnknown
from lototrot.services.races.course import (
    InstantAhead,
    contests_including,
    past_instant,
    race_get,
    race_hold,
)
from tests.support import factories

pytestmark = pytest.mark.django_db


def test_a_race_is_found_by_its_id_or_refused() -> None:
    race = factories.meeting(races=1).races.get()
    assert race_get(race.pk) == race
    with pytest.raises(RaceUnknown):
        race_get(2**31)


def test_the_contests_of_a_race_are_those_with_a_leg_on_it() -> None:
    contest, other = factories.contest(), factories.contest(kind="five-races")
    race = factories.races_of(contest)[0]
    assert contests_including(race.pk) == [contest.pk]
    assert contests_including(factories.races_of(other)[0].pk) == [other.pk]
    assert race_hold(race).race_id == race.pk


@pytest.mark.article("14.III.5.4.1")
def test_offers_follow_withdrawals_until_the_contest_is_closed() -> None:
    contest = factories.contest()
    race = factories.races_of(contest)[0]
    factories.withdrawal(race, 4)
    contest.refresh_from_db()
    assert contest.offered_masks[0] & 1 << 3 == 0
    factories.contest_closed(contest, sealed=False)
    factories.withdrawal(race, 5)
    assert Contest.objects.get(pk=contest.pk).offered_masks == contest.offered_masks


def test_an_instant_has_a_time_zone_and_has_come() -> None:
    now = clock.now()
    assert past_instant(now) == now
    with pytest.raises(InstantAhead):
        past_instant(now + timedelta(minutes=1))
    with pytest.raises(NaiveInstant):
        past_instant(datetime(2030, 3, 2))
