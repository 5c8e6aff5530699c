"""Create a contest only with possible terms: races, price, closing, correction window."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from core.database import clock
from core.staff.actor import StaffActor
from lototrot.models.contest import Contest
from lototrot.selectors.contests import ContestUnknown, RaceUnknown, contest_get
from lototrot.services.contest.contests import ScheduleOutOfPlace
from lototrot.services.contest.preparing import ContestOfDayExists, RaceRepeated, TermsRefused
from tests.support import factories
from tests.support.lototrot.putting_on_sale import created

pytestmark = pytest.mark.django_db


@pytest.mark.article("14.I.2", "14.III.5.1")
def test_the_races_are_the_meetings_own_each_once(by: StaffActor) -> None:
    meeting, other = factories.meeting(), factories.meeting()
    races = list(meeting.races.all())
    with pytest.raises(RaceRepeated):
        created(by, meeting, races=[*races[:6], races[0]])
    with pytest.raises(RaceUnknown):
        created(by, meeting, races=[*races[:6], other.races.first()])
    with pytest.raises(RaceUnknown):
        created(by, meeting, races=[], scheduled_close_at=clock.now() + timedelta(hours=1))


def test_the_order_of_the_races_is_the_one_given(by: StaffActor) -> None:
    meeting = factories.meeting()
    races = list(meeting.races.order_by("-number"))
    contest = created(by, meeting, races=races)
    assert factories.races_of(contest) == races


TERMS = [
    {"price_cents": 0},
    {"price_cents": -1},
    {"max_bets": 0},
    {"correction_window_s": -1},
    {"correction_window_s": 60},
    {"correction_window_s": 60, "correction_approval": "  "},
]


@pytest.mark.parametrize("terms", TERMS, ids=str)
@pytest.mark.article("14.III.1.4")
def test_impossible_terms_are_refused(by: StaffActor, terms: dict[str, Any]) -> None:
    with pytest.raises(TermsRefused):
        created(by, **terms)
    assert not Contest.objects.exists()


def test_more_races_than_a_ticket_holds_are_refused(by: StaffActor) -> None:
    meeting = factories.meeting(races=11)
    with pytest.raises(TermsRefused):
        created(by, meeting, races=list(meeting.races.all()))


@pytest.mark.article("14.III.1.4")
def test_a_correction_window_needs_its_approval_in_the_database_too(by: StaffActor) -> None:
    approved = created(by, correction_window_s=60, correction_approval="CAIB 3/2006")
    assert approved.correction_window_s == 60
    row = Contest.objects.filter(pk=approved.pk)
    with pytest.raises(IntegrityError, match="correction_window_approved"), transaction.atomic():
        row.update(correction_approval="")


@pytest.mark.article("14.III.4")
def test_the_scheduled_closing_lies_ahead_and_not_after_the_first_start(by: StaffActor) -> None:
    meeting = factories.meeting()
    first = min(race.scheduled_start_at for race in meeting.races.all())
    for instant in (clock.now(), first + timedelta(seconds=1)):
        with pytest.raises(ScheduleOutOfPlace):
            created(by, meeting, scheduled_close_at=instant)
    assert created(by, meeting, scheduled_close_at=first).scheduled_close_at == first


def test_there_is_one_contest_a_day_of_a_bet_type(by: StaffActor) -> None:
    """[A15], whether of the same meeting or of another on the same day."""
    meeting = factories.meeting()
    created(by, meeting)
    other = factories.meeting(day=meeting.day)
    for each in (meeting, other):
        with pytest.raises(ContestOfDayExists):
            created(by, each)
    five = factories.bet_type("five-races")
    assert created(by, other, bet_type=five).day == meeting.day


def test_an_unknown_contest_is_unknown() -> None:
    with pytest.raises(ContestUnknown):
        contest_get(2**31)
