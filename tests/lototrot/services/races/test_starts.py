"""Two persons record a start, which closes the contests on a race once and for good."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from core.database import clock
from core.kernel.days import NaiveInstant
from core.staff import two_persons
from core.staff.actor import PowerMissing
from core.staff.powers import Role
from lototrot.engine.races import draw_field
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.models.running import RaceDeclaration, RaceStart
from lototrot.models.stops import SalesStop
from lototrot.selectors.breaches import breach_pending
from lototrot.selectors.contests import RaceUnknown
from lototrot.selectors.races import contest_limit, race_record
from lototrot.services.races.course import (
    InstantAhead,
)
from lototrot.services.races.starts import NobodyToStart, StartDiffers, StartUnchanged, start_report
from lototrot.services.races.stopping import StopAwaitsDecision, race_stop, stop_lift
from lototrot.services.reasons import SourceMissing
from lototrot.services.settlement.start_correction import start_correct
from tests.support import factories as f
from tests.support.lototrot.starting import declare, start

pytestmark = pytest.mark.django_db
Kind = RaceDeclaration.Kind


@pytest.mark.article("14.III.4")
def test_a_start_closes_every_contest_on_the_race(contest: Contest, race: Race) -> None:
    other = f.contest(contest.meeting, kind="five-races")
    elsewhere = f.contest(kind="eight-races")
    recorded = start(race)
    assert (recorded.source, recorded.corrects) == ("Starter", None)
    for each in (contest, other):
        each.refresh_from_db()
        assert (each.state, each.closing_cause) == ("closed", "start")
        assert each.code_secret is not None, "for five minutes [E11]"
    elsewhere.refresh_from_db()
    assert elsewhere.state == "open"
    assert f.sell(contest, f.point()).outcome == "contest_closed"


@pytest.mark.article("14.III.4")
def test_any_included_race_closes_it_whatever_its_place_on_the_ticket(contest: Contest) -> None:
    """[E2]: the first to start in real time, here the fourth of the ticket."""
    start(f.races_of(contest)[3])
    contest.refresh_from_db()
    assert contest.state == "closed"


@pytest.mark.article("14.III.4")
def test_a_start_after_the_schedule_only_confirms_it(contest: Contest, race: Race) -> None:
    f.time_to(contest.scheduled_close_at + timedelta(minutes=3))
    start(race)
    contest.refresh_from_db()
    assert contest.closing_cause == "schedule"
    assert contest.closed_at == contest.scheduled_close_at


@pytest.mark.article("14.III.4", "14.I.5")
def test_the_earliest_start_counts_in_real_time_across_time_zones() -> None:
    """[E2]: 17:30 in New York is later than 23:00 in Palma, and 22:00 in London is the same."""
    begins = datetime(2027, 3, 20, 21, 0, tzinfo=UTC)
    f.time_to(begins - timedelta(hours=1))
    meeting = f.meeting(races=0, first_start_at=begins)
    zones = ["America/New_York", "Europe/London", *["Europe/Madrid"] * 5]
    races = [
        f.race(meeting, n, begins + timedelta(hours=1), course=f.racecourse(timezone=zone))
        for n, zone in enumerate(zones, start=1)
    ]
    contest = f.contest(races=races)
    f.time_to(datetime(2027, 3, 20, 22, 30, tzinfo=UTC))
    start(races[0], datetime(2027, 3, 20, 17, 30, tzinfo=ZoneInfo("America/New_York")))
    start(races[1], datetime(2027, 3, 20, 21, 10, tzinfo=ZoneInfo("Europe/London")))
    start(races[2], datetime(2027, 3, 20, 22, 11, tzinfo=ZoneInfo("Europe/Madrid")))
    assert contest_limit(contest.pk) == datetime(2027, 3, 20, 21, 10, tzinfo=UTC)


@pytest.mark.article("14.III.4")
def test_a_start_waits_for_a_second_person_while_sales_are_stopped(
    contest: Contest, race: Race
) -> None:
    """[E12]: nobody confirms alone, not in another session either."""
    by, other = f.two_stewards()
    proposal = start_report(by=by, race_id=race.pk, source="Starter")
    contest.refresh_from_db()
    assert (contest.state, RaceStart.objects.count()) == ("stopped", 0)
    assert f.sell(contest, f.point()).outcome == "sales_stopped"
    with pytest.raises(two_persons.ProposalPending):
        start_report(by=other, race_id=race.pk, source="Starter")
    for same in (by, f.another_session(by)):
        with pytest.raises(two_persons.SamePerson):
            two_persons.confirm(proposal=proposal.uuid, by=same)
    f.time_pass(seconds=40)
    two_persons.confirm(proposal=proposal.uuid, by=other)
    stop, recorded = SalesStop.objects.get(), RaceStart.objects.get()
    contest.refresh_from_db()
    assert contest.closed_at == recorded.actual_start_at == stop.stopped_at
    assert stop.ending == "confirmed"


@pytest.mark.article("14.III.4")
def test_a_start_rejected_by_a_second_person_lets_sales_go_on(contest: Contest, race: Race) -> None:
    by, other = f.two_stewards()
    proposal = start_report(by=by, race_id=race.pk, source="Starter")
    with pytest.raises(StopAwaitsDecision):
        stop_lift(by=other, stop_id=SalesStop.objects.get().pk, reason="x")
    two_persons.reject(proposal=proposal.uuid, by=other, reason="A false start")
    contest.refresh_from_db()
    assert (contest.state, SalesStop.objects.get().ending) == ("open", "lifted")
    assert start(race).pk


@pytest.mark.article("14.III.4")
def test_a_start_taken_back_leaves_sales_stopped(contest: Contest, race: Race) -> None:
    """[E12]: one person alone does not let sales go on."""
    by, other = f.two_stewards()
    proposal = start_report(by=by, race_id=race.pk, source="Starter")
    two_persons.reject(proposal=proposal.uuid, by=by)
    contest.refresh_from_db()
    assert contest.state == "stopped"
    lifting = stop_lift(by=by, stop_id=SalesStop.objects.get().pk, reason="Another race")
    two_persons.confirm(proposal=lifting.uuid, by=other)
    contest.refresh_from_db()
    assert contest.state == "open"


@pytest.mark.article("14.III.4")
def test_an_earlier_stop_of_another_person_closes_it(contest: Contest, race: Race) -> None:
    """[E12]: no ticket later than a stop that was confirmed counts."""
    by, other = f.two_stewards()
    stop = race_stop(by=other, race_id=race.pk, source="Starter")
    f.time_pass(seconds=30)
    start(race, by=by, second=other)
    contest.refresh_from_db()
    assert contest.closed_at == stop.stopped_at
    assert set(SalesStop.objects.values_list("ending", flat=True)) == {"confirmed"}


@pytest.mark.article("14.III.4")
def test_a_start_reported_late_closes_it_before_the_stop(contest: Contest, race: Race) -> None:
    """[E3, E12]: the bets in between are in breach, also if the start is corrected to later."""
    began, point = clock.now(), f.point()
    f.time_pass(seconds=10)
    assert f.sell(contest, point).outcome == "sold"
    f.time_pass(seconds=10)
    start(race, began)
    contest.refresh_from_db()
    assert contest.closed_at == began
    assert breach_pending(contest.pk)
    first, second = f.two_stewards()
    proposal = start_correct(
        by=first, race_id=race.pk, actual_start_at=began + timedelta(seconds=5), source="Video"
    )
    two_persons.confirm(proposal=proposal.uuid, by=second)
    assert breach_pending(contest.pk)


@pytest.mark.article("14.III.4")
def test_the_same_start_again_changes_nothing(race: Race) -> None:
    first = start(race)
    same = first.actual_start_at.astimezone(ZoneInfo("America/New_York"))
    with pytest.raises(StartUnchanged):
        start(race, same, source="Timing")
    with pytest.raises(StartDiffers):
        start(race, first.actual_start_at - timedelta(seconds=1))
    assert RaceStart.objects.count() == 1


def test_a_start_needs_an_instant_that_has_come_and_a_source(race: Race) -> None:
    with pytest.raises(InstantAhead):
        start(race, clock.now() + timedelta(seconds=30))
    with pytest.raises(NaiveInstant):
        start(race, clock.now().replace(tzinfo=None))
    with pytest.raises(SourceMissing):
        start(race, source=" ")
    with pytest.raises(RaceUnknown):
        start_report(by=f.staff(Role.STEWARDS), race_id=0, source="x")
    for role in (Role.CASHIER, Role.ORGANISER):
        with pytest.raises(PowerMissing):
            start(race, by=f.staff(role))
    assert not RaceStart.objects.exists() and not SalesStop.objects.exists()


@pytest.mark.article("14.III.5.4.2")
def test_a_race_without_horses_does_not_start(race: Race) -> None:
    for number in range(1, 11):
        f.withdrawal(race, number)
    with pytest.raises(NobodyToStart):
        start(race)
    assert draw_field(declare(race) and race_record(race.pk).facts()) == tuple(range(1, 11))
