"""One person moves the closing earlier, two later, and every move is published (14.III.4) [E13]."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from core.database import clock
from core.proofs import log
from core.staff import two_persons
from core.staff.actor import PowerMissing, StaffActor
from core.staff.powers import Role
from lototrot.models.contest import Contest, ScheduleChange
from lototrot.services.contest.schedule import (
    SCHEDULE,
    AfterAnnouncedStart,
    ContestNotOnSale,
    ScheduleInThePast,
    ScheduleLater,
    ScheduleNotLater,
    schedule_move,
    schedule_postpone,
)
from lototrot.services.races.announcing import start_announce
from lototrot.services.reasons import ReasonMissing
from tests.support import factories as f
from tests.support.lototrot.scheduling import postpone

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.4")]


def announce(contest: Contest, at: object) -> None:
    race = f.races_of(contest)[0]
    start_announce(by=f.staff(Role.STEWARDS), race_id=race.pk, start_at=at, source="Stewards")


def proposed(by: StaffActor, contest: Contest, at: object) -> object:
    return schedule_postpone(by=by, contest_id=contest.pk, to_at=at, reason="Delayed")


def test_it_moves_both_ways_until_it_is_reached(by: StaffActor, contest: Contest) -> None:
    planned, point = contest.scheduled_close_at, f.point()
    later, earlier = planned + timedelta(minutes=20), planned - timedelta(minutes=20)
    assert postpone(contest, later).scheduled_close_at == later
    f.time_to(planned + timedelta(minutes=1))
    assert f.sell(contest, point).outcome == "sold"
    f.time_to(clock.now() - timedelta(hours=1))
    assert schedule_move(by=by, contest_id=contest.pk, to_at=earlier).scheduled_close_at == earlier
    f.time_to(earlier)
    assert f.sell(contest, point).outcome == "contest_closed"
    first, second = ScheduleChange.objects.order_by("pk")
    assert (first.from_at, first.to_at, second.from_at, second.to_at) == (
        planned,
        later,
        later,
        earlier,
    )
    assert (second.changed_by_id, second.changed_in_id) == (by.user_id, by.session_id)
    for change, persons in ((first, 2), (second, 1)):
        entry = log.published(kind=SCHEDULE, subject=f"contest:{contest.pk}:{change.number}")
        assert entry is not None and entry.document["persons"] == persons


def test_the_same_time_again_changes_nothing(by: StaffActor, contest: Contest) -> None:
    schedule_move(by=by, contest_id=contest.pk, to_at=contest.scheduled_close_at)
    assert not ScheduleChange.objects.exists()


def test_later_takes_two_one_of_them_of_the_stewards_desk(by: StaffActor, contest: Contest) -> None:
    later = contest.scheduled_close_at + timedelta(minutes=5)
    with pytest.raises(ScheduleLater):
        schedule_move(by=by, contest_id=contest.pk, to_at=later)
    announce(contest, later)
    proposal = proposed(by, contest, later)
    with pytest.raises(PowerMissing):
        two_persons.confirm(proposal=proposal.uuid, by=f.staff(Role.ORGANISER))
    assert not ScheduleChange.objects.exists()
    two_persons.confirm(proposal=proposal.uuid, by=f.staff(Role.STEWARDS))
    assert ScheduleChange.objects.get().proposal == proposal
    steward = f.staff(Role.STEWARDS)
    announce(contest, later + timedelta(minutes=5))
    own = proposed(steward, contest, later + timedelta(minutes=5))
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=own.uuid, by=f.another_session(steward))


def test_it_is_never_later_than_the_announced_start(by: StaffActor, contest: Contest) -> None:
    planned = contest.scheduled_close_at
    with pytest.raises(AfterAnnouncedStart):
        proposed(by, contest, planned + timedelta(minutes=5))
    announce(contest, planned + timedelta(minutes=10))
    with pytest.raises(AfterAnnouncedStart):
        proposed(by, contest, planned + timedelta(minutes=10, seconds=1))
    with pytest.raises(ScheduleNotLater):
        proposed(by, contest, planned)
    with pytest.raises(ReasonMissing):
        schedule_postpone(by=by, contest_id=contest.pk, to_at=planned, reason=" ")
    proposal = proposed(by, contest, planned + timedelta(minutes=10))
    announce(contest, planned + timedelta(minutes=3))  # the delay becomes shorter meanwhile
    with pytest.raises(AfterAnnouncedStart):
        two_persons.confirm(proposal=proposal.uuid, by=f.staff(Role.STEWARDS))
    assert not ScheduleChange.objects.exists()


def test_once_reached_or_closed_it_stays(by: StaffActor, contest: Contest) -> None:
    to_at = contest.scheduled_close_at + timedelta(hours=1)
    with pytest.raises(ScheduleInThePast):
        schedule_move(by=by, contest_id=contest.pk, to_at=clock.now())
    other = f.contest_closed(f.contest(kind="five-races"))
    with pytest.raises(ContestNotOnSale):
        proposed(by, other, to_at)
    f.time_to(contest.scheduled_close_at)
    with pytest.raises(ContestNotOnSale):
        schedule_move(by=by, contest_id=contest.pk, to_at=to_at)
    assert not ScheduleChange.objects.exists()


def test_the_database_refuses_a_later_one_that_nobody_confirmed(
    by: StaffActor, contest: Contest
) -> None:
    for stated in (None, f.proposal("lototrot.withdrawal")):
        with pytest.raises(IntegrityError), transaction.atomic():
            ScheduleChange.objects.create(
                contest=contest,
                number=1,
                from_at=contest.scheduled_close_at,
                to_at=contest.scheduled_close_at + timedelta(minutes=1),
                changed_at=clock.now(),
                changed_by_id=by.user_id,
                changed_in_id=by.session_id,
                proposal=stated,
            )
