"""Declare races not run, suspended or all disqualified, and retract a mistaken declaration."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import IntegrityError, transaction

from core.database import clock
from core.kernel.days import NaiveInstant
from core.staff import two_persons
from core.staff.actor import PowerMissing
from core.staff.powers import Role
from lototrot.engine.races import Outcome, draw_field
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.models.running import RaceDeclaration
from lototrot.models.stops import SalesStop
from lototrot.selectors.cards import contest_legs
from lototrot.selectors.races import RaceState, contest_limit, race_record
from lototrot.services.races.course import (
    DrawCertified,
    InstantAhead,
    OutOfOrder,
    RaceClassified,
    RaceDeclared,
    RaceNotStarted,
)
from lototrot.services.races.declarations import (
    AuthorityTextMissing,
    DeclarationTextMissing,
    DeclarationUnknown,
    Left,
    NoStarters,
    NothingToDeclare,
    RaceStarted,
    RulingMissing,
    declaration_retract,
    meeting_declare,
    race_declare,
)
from lototrot.services.races.window import RunOnAnotherDay
from lototrot.services.races.withdrawals import withdrawal_enter
from lototrot.services.reasons import ReasonMissing
from tests.support import factories as f
from tests.support.lototrot.starting import call_off, declare, start

pytestmark = pytest.mark.django_db
Kind = RaceDeclaration.Kind


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


@pytest.mark.article("14.III.4", "14.III.5.4.2")
def test_one_person_only_stops_sales(contest: Contest, race: Race) -> None:
    """[B17]: confirmed, it closes with the stop's instant; rejected, sales go on."""
    one, other = f.two_organisers()
    more = {"reason": "Storm", "text": "Resolució", "author": "authority"}
    for proposed in (
        lambda: race_declare(by=one, race_id=race.pk, kind="not_run", **more),
        lambda: meeting_declare(by=one, meeting=contest.meeting, **more),
    ):
        proposal = proposed()
        contest.refresh_from_db()
        assert (contest.state, RaceDeclaration.objects.count()) == ("stopped", 0)
        assert f.sell(contest, f.point()).outcome == "sales_stopped"
        with pytest.raises(two_persons.SamePerson):
            two_persons.confirm(proposal=proposal.uuid, by=one)
        two_persons.reject(proposal=proposal.uuid, by=other, reason="The storm has passed")
        contest.refresh_from_db()
        assert contest.state == "open"
        assert f.sell(contest, f.point()).outcome == "sold"
    proposal = proposed()
    stop = SalesStop.objects.get(ended_at=None)
    f.time_pass(minutes=1)
    two_persons.confirm(proposal=proposal.uuid, by=other)
    contest.refresh_from_db()
    assert (contest.state, contest.closed_at) == ("closed", stop.stopped_at)
    assert {d.declared_at for d in RaceDeclaration.objects.all()} == {stop.stopped_at}


@pytest.mark.article("14.III.5.4.2")
def test_ahead_of_the_day_the_federation_or_the_authority_says_so() -> None:
    """[B17]"""
    f.time_to(datetime(2027, 5, 1, 10, 0, tzinfo=UTC))
    contest = f.contest(f.meeting(first_start_at=datetime(2027, 5, 3, 15, 0, tzinfo=UTC)))
    race = f.races_of(contest)[0]
    for wrong in (
        {"text": ""},
        {"text": " "},
        {"text": "Acta", "author": "stewards"},
        {"text": "", "author": "federation"},
    ):
        with pytest.raises(AuthorityTextMissing):
            declare(race, **wrong)
        with pytest.raises(AuthorityTextMissing):
            call_off(contest.meeting, **wrong)
    assert not SalesStop.objects.exists()
    refused_by_the_database(race, clock.now())
    declaration = declare(race, text="Resolució 7", author="federation")
    assert (declaration.text, declaration.author) == ("Resolució 7", "federation")
    f.time_to(datetime(2027, 5, 3, 8, 0, tzinfo=UTC))
    assert declare(f.races_of(contest)[1], text="", author="stewards").pk


def refused_by_the_database(race: Race, declared_at: datetime) -> None:
    by = f.staff()
    with pytest.raises(IntegrityError, match="text is needed"), transaction.atomic():
        RaceDeclaration.objects.create(
            race=race,
            kind="not_run",
            reason="Storm",
            declared_at=declared_at,
            recorded_at=clock.now(),
            recorded_by_id=by.user_id,
            recorded_in_id=by.session_id,
            proposal=f.proposal("lototrot.declaration"),
        )


def test_on_the_day_nobody_declares_as_of_a_day_before_it_without_that_text() -> None:
    """[B17]: every bet since would be in breach, and void."""
    f.time_to(datetime(2027, 5, 1, 10, 0, tzinfo=UTC))
    contest = f.contest(f.meeting(first_start_at=datetime(2027, 5, 3, 15, 0, tzinfo=UTC)))
    race, before = f.races_of(contest)[0], clock.now()
    assert f.sell(contest, f.point()).outcome == "sold"
    f.time_to(datetime(2027, 5, 3, 12, 0, tzinfo=UTC))
    for acts in (declare, call_off):
        subject = race if acts is declare else contest.meeting
        with pytest.raises(AuthorityTextMissing):
            acts(subject, text="", author="stewards", declared_at=before)
    refused_by_the_database(race, before)
    assert contest_limit(contest.pk) is None
    assert declare(race, text="Resolució 7", author="federation", declared_at=before).pk


@pytest.mark.article("14.III.5.4.3")
def test_a_race_run_without_a_winner_is_declared_with_the_stewards_text(race: Race) -> None:
    """[B17]: three disqualified and five pulled up; drawn among those that started."""
    for number in (4, 9):
        f.withdrawal(race, number)
    start(race)
    f.time_pass(minutes=3)
    for kind in (Kind.NO_WINNER, Kind.ALL_DISQUALIFIED):
        with pytest.raises(DeclarationTextMissing):
            declare(race, kind, text=" ")
    by = f.staff()
    now = clock.now()
    named = f.declaration_of(race, now, Kind.NO_WINNER, reason="x", text="")
    with pytest.raises(IntegrityError, match="declaration_has_text"), transaction.atomic():
        RaceDeclaration.objects.create(
            race=race,
            kind=Kind.NO_WINNER,
            reason="x",
            declared_at=now,
            recorded_at=clock.now(),
            recorded_by_id=by.user_id,
            recorded_in_id=by.session_id,
            author="authority",
            proposal=f.proposal("lototrot.declaration", content=named),
        )
    declare(race, Kind.NO_WINNER, text="1, 2 i 3 distanciats; la resta, retirats en cursa.")
    record = race_record(race.pk)
    assert (record.state, record.facts().outcome) == (RaceState.DECLARED, Outcome.NO_WINNER)
    assert draw_field(record.facts()) == (1, 2, 3, 5, 6, 7, 8, 10)


@pytest.mark.article("14.III.5.4.2")
def test_a_start_overtakes_a_declaration_that_waits(contest: Contest, race: Race) -> None:
    """The second person can no longer confirm it; of a meeting, only the other races are."""
    one, other = f.two_organisers()
    more = {"reason": "Storm", "text": "Resolució", "author": "authority"}
    proposal = race_declare(by=one, race_id=race.pk, kind="not_run", **more)
    whole = meeting_declare(by=one, meeting=contest.meeting, **more)
    start(race)
    with pytest.raises(RaceStarted):
        two_persons.confirm(proposal=proposal.uuid, by=other)
    two_persons.confirm(proposal=whole.uuid, by=other)
    assert RaceDeclaration.objects.count() == 6
    two_persons.reject(proposal=proposal.uuid, by=other, reason="It started")
    contest.refresh_from_db()
    assert (contest.state, contest.closing_cause) == ("closed", "start")


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
    f.withdrawal(race, 3)
    recorded = start(race)
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


@pytest.mark.article("14.III.5.4.1", "14.III.5.4.3")
def test_a_horse_said_to_be_left_that_proves_to_be_withdrawn_counts_as_withdrawn(
    contest: Contest, race: Race
) -> None:
    """[B5, B6] Its bets pass on, and the board shows the race."""
    f.time_to(race.scheduled_start_at)
    began = start(race).actual_start_at
    f.time_pass(minutes=1)
    declare(race, Kind.SUSPENDED, left=[Left(4, "Refused"), Left(5, "Refused")])
    withdrawal_enter(
        by=f.staff(Role.STEWARDS),
        race_id=race.pk,
        number=4,
        source="Stewards' paper",
        effective_at=began - timedelta(minutes=1),
    )
    record = race_record(race.pk)
    assert (record.withdrawn, record.left) == ({4}, {5})
    assert contest_legs(contest)[0].card.runners[3].trace == (4, 5, 6)
    assert draw_field(record.facts()) == (1, 2, 3, 6, 7, 8, 9, 10)


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
    declarations = call_off(contest.meeting)
    assert [d.race_id for d in declarations] == [race.pk for race in races[2:]]
    assert len({d.declared_at for d in declarations}) == 1
    assert RaceDeclaration.objects.filter(pk=earlier.pk, superseded_at=None).exists()
    with pytest.raises(NothingToDeclare):
        call_off(contest.meeting)
    with pytest.raises(ReasonMissing):
        call_off(contest.meeting, reason="")


@pytest.mark.article("14.III.4")
def test_a_meeting_called_off_closes_at_its_declaration(contest: Contest) -> None:
    """[E1]: there is no start at all."""
    call_off(contest.meeting)
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
    """[B13, B15]: the meeting ends at six in the morning of Palma."""
    begins = datetime(2027, 5, 1, 21, 30, tzinfo=UTC)
    f.time_to(begins)
    late = f.races_of(f.contest(f.meeting(first_start_at=begins)))[0]
    declare(late)
    end = datetime(2027, 5, 2, 4, 0, tzinfo=UTC)
    f.time_to(end + timedelta(minutes=5))
    with pytest.raises(RunOnAnotherDay):
        start(late, end)
    assert race_record(late.pk).state is RaceState.DECLARED
    start(late, end - timedelta(seconds=1))
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
