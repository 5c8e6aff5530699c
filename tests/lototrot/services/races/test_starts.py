"""Actual starts and declarations: they close the contests on a race, once and for good."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from core.database import clock
from core.kernel.days import NaiveInstant
from core.staff import two_persons
from core.staff.actor import PowerMissing
from core.staff.powers import Role
from lototrot.engine.races import Outcome, draw_field
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.models.running import RaceDeclaration, RaceStart
from lototrot.selectors.races import RaceState, contest_limit, race_record
from lototrot.services.contest.contests import RaceUnknown
from lototrot.services.races.course import (
    DrawCertified,
    InstantAhead,
    RaceClassified,
    RaceDeclared,
    RaceNotStarted,
    ReasonMissing,
    SourceMissing,
)
from lototrot.services.races.starts import (
    DeclarationUnknown,
    Left,
    NobodyToStart,
    NoStarters,
    NothingToDeclare,
    OutOfOrder,
    RaceStarted,
    RulingMissing,
    RunOnAnotherDay,
    StartChanged,
    StartDiffers,
    StartUnchanged,
    declaration_retract,
    meeting_declare,
    race_declare,
    start_correct,
    start_record,
)
from tests.support import factories as f

pytestmark = pytest.mark.django_db
Kind = RaceDeclaration.Kind


@pytest.fixture
def contest() -> Contest:
    return f.contest()


@pytest.fixture
def race(contest: Contest) -> Race:
    return f.races_of(contest)[0]


def start(race: Race, at: datetime | None = None, **more) -> RaceStart:
    by = more.pop("by", None) or f.staff(Role.STEWARDS)
    at = at or clock.now()
    return start_record(
        by=by, race_id=race.pk, actual_start_at=at, source=more.pop("source", "Starter")
    )


def declare(race: Race, kind: str = Kind.NOT_RUN, **more) -> RaceDeclaration:
    by = more.pop("by", None) or f.staff(Role.ORGANISER)
    reason = more.pop("reason", "Storm")
    return race_declare(by=by, race_id=race.pk, kind=kind, reason=reason, **more)


# --- Starts ---------------------------------------------------------------------------------------


@pytest.mark.article("14.III.4")
def test_a_start_closes_every_contest_on_the_race(contest: Contest, race: Race) -> None:
    other = f.contest(contest.meeting, kind="five-races")
    elsewhere = f.contest(kind="eight-races")
    recorded = start(race)
    assert (recorded.source, recorded.proposal) == ("Starter", None)
    for each in (contest, other):
        each.refresh_from_db()
        assert (each.state, each.closing_cause) == ("closed", "start")
        assert each.code_secret is None
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
def test_the_same_start_again_changes_nothing(race: Race) -> None:
    first = start(race)
    same = first.actual_start_at.astimezone(ZoneInfo("America/New_York"))
    assert start(race, same, source="Timing").pk == first.pk
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
        start_record(by=f.staff(Role.STEWARDS), race_id=0, actual_start_at=clock.now(), source="x")
    with pytest.raises(PowerMissing):
        start(race, by=f.staff(Role.CASHIER))
    assert not RaceStart.objects.exists()


@pytest.mark.article("14.III.5.4.2")
def test_a_race_without_horses_does_not_start(race: Race) -> None:
    for number in range(1, 11):
        f.withdrawal(race, number)
    with pytest.raises(NobodyToStart):
        start(race)
    assert draw_field(declare(race) and race_record(race.pk).facts()) == tuple(range(1, 11))


@pytest.mark.article("14.III.4")
def test_two_persons_correct_a_start_and_nothing_reopens(contest: Contest, race: Race) -> None:
    first, second = f.two_stewards()
    recorded = start(race, by=first)
    contest.refresh_from_db()
    closed_at = contest.closed_at
    earlier = recorded.actual_start_at - timedelta(minutes=2)
    proposal = start_correct(by=first, race_id=race.pk, actual_start_at=earlier, source="Video")
    assert contest_limit(contest.pk) == recorded.actual_start_at
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=f.another_session(first))
    two_persons.confirm(proposal=proposal.uuid, by=second)
    assert contest_limit(contest.pk) == earlier
    assert race_record(race.pk).start.source == "Video"
    contest.refresh_from_db()
    assert (contest.state, contest.closed_at) == ("closed", closed_at)
    with pytest.raises(StartDiffers):
        start(race, recorded.actual_start_at)


def test_a_correction_must_be_possible(race: Race) -> None:
    first, second = f.two_stewards()

    def correct(at: datetime, source: str = "Video"):
        return start_correct(by=first, race_id=race.pk, actual_start_at=at, source=source)

    with pytest.raises(RaceNotStarted):
        correct(clock.now())
    recorded = start(race).actual_start_at
    with pytest.raises(StartUnchanged):
        correct(recorded)
    with pytest.raises(InstantAhead):
        correct(clock.now() + timedelta(minutes=1))
    with pytest.raises(SourceMissing):
        correct(clock.now(), " ")
    pending = correct(recorded - timedelta(minutes=1))
    with pytest.raises(two_persons.ProposalPending):
        correct(recorded - timedelta(minutes=2))
    RaceStart.objects.create(
        race=race,
        actual_start_at=recorded - timedelta(minutes=3),
        source="x",
        recorded_at=clock.now(),
        recorded_by_id=first.user_id,
        recorded_in_id=first.session_id,
        proposal=f.proposal("lototrot.start_correction", "other"),
    )
    with pytest.raises(StartChanged):
        two_persons.confirm(proposal=pending.uuid, by=second)


@pytest.mark.article("14.III.5.3")
def test_a_corrected_start_still_precedes_what_followed(race: Race) -> None:
    recorded = start(race).actual_start_at
    f.time_pass(minutes=5)
    announced = f.classified(race, [1]).announced_at
    f.time_pass(minutes=5)
    with pytest.raises(OutOfOrder):
        start_correct(
            by=f.staff(Role.STEWARDS), race_id=race.pk, actual_start_at=announced, source="x"
        )
    earlier = recorded + timedelta(minutes=1)
    start_correct(by=f.staff(Role.STEWARDS), race_id=race.pk, actual_start_at=earlier, source="x")


def test_the_database_refuses_a_correction_nobody_confirmed(race: Race) -> None:
    first = f.staff(Role.STEWARDS)
    recorded = start(race)
    earlier = recorded.actual_start_at - timedelta(minutes=1)
    proposal = start_correct(by=first, race_id=race.pk, actual_start_at=earlier, source="Video")
    for stated in (proposal, f.proposal("lototrot.withdrawal", "other"), None):
        with pytest.raises(IntegrityError), transaction.atomic():
            RaceStart.objects.create(
                race=race,
                actual_start_at=earlier,
                source="x",
                recorded_at=clock.now(),
                recorded_by_id=first.user_id,
                recorded_in_id=first.session_id,
                proposal=stated,
            )
    with pytest.raises(DatabaseError), transaction.atomic():
        RaceStart.objects.filter(pk=recorded.pk).update(actual_start_at=earlier)


# --- Declarations ---------------------------------------------------------------------------------


@pytest.mark.article("14.III.4", "14.III.5.4.2")
def test_a_race_not_run_closes_its_contests_at_once(contest: Contest) -> None:
    """[E1]: any included race, so that no bet is made once a drawn result may be known."""
    declaration = declare(f.races_of(contest)[4])
    contest.refresh_from_db()
    assert (contest.state, contest.closing_cause) == ("closed", "not_run")
    assert contest_limit(contest.pk) == declaration.declared_at
    assert f.sell(contest, f.point()).outcome == "contest_closed"


@pytest.mark.article("14.III.5.4.2")
def test_the_draw_is_due_two_hours_after_the_declaration(race: Race) -> None:
    f.time_pass(minutes=30)
    earlier = clock.now() - timedelta(minutes=20)
    declare(race, declared_at=earlier)
    assert race_record(race.pk).draw_due_at == earlier + timedelta(hours=2)


@pytest.mark.article("14.III.5.4.2")
def test_the_same_declaration_again_changes_nothing(race: Race) -> None:
    first = declare(race)
    assert declare(race).pk == declare(race, declared_at=first.declared_at).pk == first.pk
    with pytest.raises(RaceDeclared):
        declare(race, declared_at=first.declared_at - timedelta(minutes=1))
    with pytest.raises(RaceDeclared):
        declare(race, Kind.SUSPENDED)


def test_a_declaration_needs_a_reason_and_an_instant_that_has_come(race: Race) -> None:
    with pytest.raises(ReasonMissing):
        declare(race, reason=" ")
    with pytest.raises(InstantAhead):
        declare(race, declared_at=clock.now() + timedelta(minutes=1))
    with pytest.raises(NaiveInstant):
        declare(race, declared_at=clock.now().replace(tzinfo=None))
    with pytest.raises(PowerMissing):
        declare(race, by=f.staff(Role.AUDITOR))
    assert not RaceDeclaration.objects.exists()


@pytest.mark.article("14.III.5.4.3")
@pytest.mark.parametrize("kind", [Kind.SUSPENDED, Kind.ALL_DISQUALIFIED])
def test_only_a_started_race_is_suspended_or_all_disqualified(race: Race, kind: str) -> None:
    with pytest.raises(RaceNotStarted):
        declare(race, kind)
    recorded = start(race)
    f.withdrawal(race, 3)
    with pytest.raises(OutOfOrder):
        declare(race, kind, declared_at=recorded.actual_start_at)
    with pytest.raises(RaceStarted):
        declare(race, Kind.NOT_RUN)
    declare(race, kind)
    record = race_record(race.pk)
    assert (record.state, record.facts().outcome) == (RaceState.DECLARED, Outcome(kind))


@pytest.mark.article("14.III.5.4.3")
def test_those_left_at_the_start_are_not_in_the_draw_of_a_suspended_race(race: Race) -> None:
    """[B5, B8]"""
    f.withdrawal(race, 3)
    start(race)
    f.time_pass(minutes=1)
    for wrong in ([11], [3], [4, 4], [1, 2, *range(4, 11)]):
        with pytest.raises(NoStarters):
            declare(race, Kind.SUSPENDED, left=[Left(n, "Refused") for n in wrong])
    with pytest.raises(RulingMissing):
        declare(race, Kind.SUSPENDED, left=[Left(4, " ")])
    declare(race, Kind.SUSPENDED, left=[Left(4, "Refused to start: ruling 12")])
    assert draw_field(race_record(race.pk).facts()) == (1, 2, 5, 6, 7, 8, 9, 10)


@pytest.mark.article("14.III.5.4.2")
def test_nobody_is_left_at_the_start_of_a_race_not_run(race: Race) -> None:
    with pytest.raises(NoStarters):
        declare(race, left=[Left(4, "x")])


@pytest.mark.article("14.III.5.3")
def test_a_classified_race_is_not_declared(race: Race) -> None:
    start(race)
    f.time_pass(minutes=1)
    f.classified(race, [1])
    for kind in (Kind.NOT_RUN, Kind.SUSPENDED):
        with pytest.raises(RaceClassified):
            declare(race, kind)


@pytest.mark.article("14.III.5.4.2")
def test_a_whole_meeting_is_declared_in_one_act(contest: Contest) -> None:
    races = f.races_of(contest)
    start(races[0])
    earlier = declare(races[1])
    by = f.staff(Role.ORGANISER)
    made = meeting_declare(by=by, meeting_id=contest.meeting_id, reason="Storm")
    assert [d.race_id for d in made] == [race.pk for race in races[2:]]
    assert len({d.declared_at for d in made}) == 1
    assert RaceDeclaration.objects.filter(pk=earlier.pk, superseded_at=None).exists()
    with pytest.raises(NothingToDeclare):
        meeting_declare(by=by, meeting_id=contest.meeting_id, reason="Storm")
    with pytest.raises(ReasonMissing):
        meeting_declare(by=by, meeting_id=contest.meeting_id, reason="")


@pytest.mark.article("14.III.4")
def test_a_meeting_called_off_closes_at_its_declaration(contest: Contest) -> None:
    """[E1]: there is no start at all."""
    meeting_declare(by=f.staff(Role.ORGANISER), meeting_id=contest.meeting_id, reason="Storm")
    contest.refresh_from_db()
    assert contest.closing_cause == "not_run"


@pytest.mark.article("14.III.5.4.2")
def test_run_later_the_same_day_it_was_run(contest: Contest, race: Race) -> None:
    """[B13]: no draw, and no bet is in breach for the declaration; but nothing reopens."""
    noon = datetime(2027, 5, 1, 10, 0, tzinfo=UTC)
    f.time_to(noon)
    contest = f.contest(f.meeting(first_start_at=noon + timedelta(hours=1)))
    race = f.races_of(contest)[0]
    declare(race)
    f.time_to(noon + timedelta(hours=5))
    recorded = start(race)
    record = race_record(race.pk)
    assert (record.state, record.declaration) == (RaceState.STARTED, None)
    assert contest_limit(contest.pk) == recorded.actual_start_at
    contest.refresh_from_db()
    assert (contest.state, contest.closing_cause) == ("closed", "not_run")


@pytest.mark.article("14.III.5.4.2")
def test_run_another_day_it_is_drawn(race: Race) -> None:
    """[B13]: the day ends at midnight in Palma."""
    begins = datetime(2027, 5, 1, 21, 30, tzinfo=UTC)
    f.time_to(begins)
    late = f.races_of(f.contest(f.meeting(first_start_at=begins)))[0]
    declare(late)
    midnight = datetime(2027, 5, 1, 22, 0, tzinfo=UTC)
    f.time_to(midnight + timedelta(minutes=5))
    with pytest.raises(RunOnAnotherDay):
        start(late, midnight)
    assert race_record(late.pk).state is RaceState.DECLARED
    start(late, midnight - timedelta(seconds=1))
    assert race_record(late.pk).state is RaceState.STARTED


@pytest.mark.article("14.III.5.4.4")
def test_once_its_draw_is_certified_it_stands(race: Race) -> None:
    """[B13]"""
    declare(race)
    f.drawn(race, 7)
    with pytest.raises(DrawCertified):
        start(race)
    with pytest.raises(DrawCertified):
        declaration_retract(by=f.staff(Role.ORGANISER), race_id=race.pk, reason="x")
    record = race_record(race.pk)
    assert (record.state, record.facts().winners) == (RaceState.DRAWN, {7})


@pytest.mark.article("14.III.5.4.2")
def test_two_persons_retract_a_mistaken_declaration(contest: Contest, race: Race) -> None:
    first, second = f.two_organisers()
    with pytest.raises(DeclarationUnknown):
        declaration_retract(by=first, race_id=race.pk, reason="Wrong race")
    declare(race)
    with pytest.raises(ReasonMissing):
        declaration_retract(by=first, race_id=race.pk, reason="")
    proposal = declaration_retract(by=first, race_id=race.pk, reason="Wrong race")
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=first)
    two_persons.confirm(proposal=proposal.uuid, by=second)
    assert race_record(race.pk).state is RaceState.SCHEDULED
    contest.refresh_from_db()
    assert contest.state == "closed"
    assert declare(race).pk


def test_the_database_refuses_to_drop_a_declaration_without_cause(race: Race) -> None:
    declaration = declare(race)
    for changes in ({}, {"retraction": f.proposal("lototrot.withdrawal", "other")}):
        with pytest.raises(IntegrityError, match="two persons"), transaction.atomic():
            RaceDeclaration.objects.filter(pk=declaration.pk).update(
                superseded_at=clock.now(), **changes
            )
