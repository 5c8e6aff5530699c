"""Sales are stopped by one person at once, and go on again only by two (14.III.4) [E12]."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from core.database import clock
from core.staff import two_persons
from core.staff.actor import PowerMissing
from core.staff.powers import Role
from lototrot.alarms import stops_undecided
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.models.stops import SalesStop
from lototrot.selectors.contests import RaceUnknown
from lototrot.services.contest.closing import (
    closings_due,
    contest_close,
    contest_close_due,
    contest_close_early,
)
from lototrot.services.races.starts import start_report
from lototrot.services.races.stopping import (
    NothingOnSale,
    StopEnded,
    StopUnknown,
    meeting_stop,
    race_stop,
    stop_lift,
)
from lototrot.services.reasons import ReasonMissing, SourceMissing
from tests.support import factories as f

pytestmark = pytest.mark.django_db


def stopped(race: Race, **more) -> SalesStop:
    by = more.pop("by", None) or f.staff(Role.STEWARDS)
    return race_stop(by=by, race_id=race.pk, source=more.pop("source", "The horses are off"))


def lifted(stop: SalesStop) -> None:
    one, other = f.two_stewards()
    proposal = stop_lift(by=one, stop_id=stop.pk, reason="A false start")
    two_persons.confirm(proposal=proposal.uuid, by=other)


def state_of(contest: Contest) -> str:
    contest.refresh_from_db()
    return contest.state


@pytest.mark.article("14.III.4")
def test_a_stop_refuses_sales_on_the_race_and_keeps_what_was_sold(
    contest: Contest, race: Race
) -> None:
    other = f.contest(contest.meeting, kind="five-races")
    elsewhere, point = f.contest(kind="eight-races"), f.point()
    assert f.sell(contest, point).outcome == "sold"
    stop = stopped(race)
    assert (state_of(contest), state_of(other), state_of(elsewhere)) == (
        "stopped",
        "stopped",
        "open",
    )
    assert f.sell(contest, point).outcome == "sales_stopped"
    assert f.sell(elsewhere, point).outcome == "sold"
    assert contest.code_secret and contest.closed_at is None
    lifted(stop)
    assert (state_of(contest), state_of(other)) == ("open", "open")
    assert f.sell(contest, point).outcome == "sold"
    stop.refresh_from_db()
    assert stop.ending == "lifted"


@pytest.mark.article("14.III.4")
def test_a_meeting_is_stopped_whole(contest: Contest) -> None:
    by = f.staff(Role.STEWARDS)
    stop = meeting_stop(by=by, meeting=contest.meeting, source="Fire")
    assert (state_of(contest), stop.race) == ("stopped", None)
    lifted(stop)
    assert state_of(contest) == "open"


@pytest.mark.article("14.III.4")
def test_two_stops_are_lifted_one_by_one(contest: Contest, race: Race) -> None:
    first, second = stopped(race), stopped(f.races_of(contest)[1])
    lifted(first)
    assert state_of(contest) == "stopped"
    lifted(second)
    assert state_of(contest) == "open"


def test_the_same_stop_again_changes_nothing(contest: Contest, race: Race) -> None:
    by, other = f.two_stewards()
    first = stopped(race, by=by)
    assert stopped(race, by=f.another_session(by)).pk == first.pk
    assert stopped(race, by=other).pk != first.pk
    lifted(first)
    assert state_of(contest) == "stopped"


@pytest.mark.article("14.III.4")
def test_one_person_does_not_lift_a_stop(contest: Contest, race: Race) -> None:
    by = f.staff(Role.STEWARDS)
    stop = stopped(race, by=by)
    proposal = stop_lift(by=by, stop_id=stop.pk, reason="A false start")
    for same in (by, f.another_session(by)):
        with pytest.raises(two_persons.SamePerson):
            two_persons.confirm(proposal=proposal.uuid, by=same)
    with pytest.raises(two_persons.ProposalPending):
        stop_lift(by=by, stop_id=stop.pk, reason="A false start")
    assert state_of(contest) == "stopped"
    two_persons.confirm(proposal=proposal.uuid, by=f.staff(Role.STEWARDS))
    assert state_of(contest) == "open"


@pytest.mark.article("14.III.4")
def test_a_new_account_lifts_no_stop_by_rejecting_the_start(contest: Contest, race: Race) -> None:
    """A person who gave the account may hold it, and would bet on after the start."""
    proposal = start_report(by=f.staff(Role.STEWARDS), race_id=race.pk, source="The judge")
    for _ in range(2):
        f.staff(Role.ADMINISTRATOR)
    new = f.account("new-steward", "New", Role.STEWARDS, waits=timedelta(hours=24))
    two_persons.reject(proposal=proposal.uuid, by=f.signed_on(new))
    stop = SalesStop.objects.get(proposal=proposal)
    assert (stop.ended_at, state_of(contest)) == (None, "stopped")
    with pytest.raises(IntegrityError, match="two persons"), transaction.atomic():
        SalesStop.objects.filter(pk=stop.pk).update(ended_at=clock.now(), ending="lifted")
    lifted(stop)
    assert state_of(contest) == "open"


def test_a_stop_and_its_lifting_say_who_and_why(contest: Contest, race: Race) -> None:
    with pytest.raises(SourceMissing):
        stopped(race, source=" ")
    with pytest.raises(RaceUnknown):
        race_stop(by=f.staff(Role.STEWARDS), race_id=0, source="x")
    for role in (Role.ORGANISER, Role.CASHIER):
        with pytest.raises(PowerMissing):
            stopped(race, by=f.staff(role))
    assert not SalesStop.objects.exists()
    stop = stopped(race)
    with pytest.raises(ReasonMissing):
        stop_lift(by=f.staff(Role.STEWARDS), stop_id=stop.pk, reason=" ")
    with pytest.raises(StopUnknown):
        stop_lift(by=f.staff(Role.STEWARDS), stop_id=0, reason="x")
    with pytest.raises(PowerMissing):
        stop_lift(by=f.staff(Role.ORGANISER), stop_id=stop.pk, reason="x")


def test_only_what_is_on_sale_is_stopped(contest: Contest, race: Race) -> None:
    contest_close_early(by=f.staff(Role.ORGANISER), contest_id=contest.pk)
    with pytest.raises(NothingOnSale):
        stopped(race)
    due = f.contest(kind="five-races")
    f.time_to(due.scheduled_close_at)
    with pytest.raises(NothingOnSale):
        stopped(f.races_of(due)[0])


@pytest.mark.article("14.III.4")
def test_the_schedule_closes_during_a_stop(contest: Contest, race: Race) -> None:
    stop = stopped(race)
    f.time_to(contest.scheduled_close_at)
    assert f.sell(contest, f.point()).outcome == "contest_closed"
    f.time_pass(minutes=1)
    assert closings_due() == [contest.pk]
    assert contest_close_due(contest_id=contest.pk)
    assert state_of(contest) == "closed"
    assert (contest.closed_at, contest.closing_cause) == (contest.scheduled_close_at, "schedule")
    stop.refresh_from_db()
    assert stop.ending == "closed"
    with pytest.raises(StopEnded):
        stop_lift(by=f.staff(Role.STEWARDS), stop_id=stop.pk, reason="x")


@pytest.mark.article("14.III.4")
def test_a_start_closes_with_the_earlier_of_stop_and_start(contest: Contest, race: Race) -> None:
    other = f.contest(contest.meeting, kind="five-races")
    stop = stopped(race)
    f.time_pass(seconds=30)
    started_at = clock.now()
    f.time_pass(seconds=10)
    contest_close(contest_id=contest.pk, cause=Contest.Cause.START, at=started_at)
    assert (state_of(contest), contest.closed_at) == ("closed", stop.stopped_at)
    stop.refresh_from_db()
    assert stop.ended_at is None  # it still covers the other contest
    early = stop.stopped_at - timedelta(seconds=5)
    contest_close(contest_id=other.pk, cause=Contest.Cause.START, at=early)
    assert (state_of(other), other.closed_at) == ("closed", early)
    stop.refresh_from_db()
    assert stop.ending == "confirmed"


def test_a_stop_that_nobody_decides_is_an_alarm_after_two_minutes(
    contest: Contest, race: Race
) -> None:
    stop = stopped(race)
    f.time_pass(seconds=115)
    assert stops_undecided() == []
    f.time_pass(seconds=10)
    (row,) = stops_undecided()
    assert (row.subject, row.since) == (stop, stop.stopped_at)
    assert state_of(contest) == "stopped"
    lifted(stop)
    assert stops_undecided() == []
