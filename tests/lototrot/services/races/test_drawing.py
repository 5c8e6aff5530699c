"""The draw of a race: announced by its declaration, of the right field, and its only result."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from core.database import clock
from core.draws import conducting, documents, services
from core.draws.abandoning import abandonment_propose
from core.draws.manual import BallsEntered, manual_propose
from core.draws.models import Commitment, Draw, DrawField, Outcome
from core.premises.models import Premises
from core.proofs.log import published
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.models.running import RaceDeclaration, RaceStart, Withdrawal
from lototrot.selectors.draws import subject_of
from lototrot.selectors.races import RaceState, race_record
from lototrot.selectors.settlement.results import contest_results
from lototrot.services.races.course import DrawCertified
from lototrot.services.races.declarations import Left, declaration_retract
from lototrot.services.races.drawing import DrawBeforeClosing, DrawUnconfirmed
from lototrot.services.races.withdrawals import withdrawal_enter, withdrawal_reverse
from lototrot.services.seal.sealing import ContestNotSealed, contest_seal
from lototrot.services.settlement.settling import contest_settle
from tests.support import factories as f
from tests.support import rounds
from tests.support.lototrot import starting

pytestmark = pytest.mark.django_db
Kind = RaceDeclaration.Kind


@pytest.fixture(scope="module")
def on_sale(shared: None) -> Contest:
    f.central_office()
    return f.contest()


def declare(race: Race, kind: str = Kind.NOT_RUN, **more: Any) -> Draw:
    starting.declare(race, kind, **more)
    return standing(race)


def standing(race: Race) -> Draw:
    return Draw.objects.exclude(state__in=Draw.FALLEN).get(subject=subject_of(race.pk))


def commit(race: Race) -> Commitment:
    for contest in Contest.objects.filter(state=Contest.State.CLOSED):
        contest_seal(contest_id=contest.pk)
    draw = standing(race)
    f.announced_time(draw)
    services.draw_attend(by=f.staff(Role.INSPECTOR), draw=draw.uuid)
    return begin(draw)


def begin(draw: Draw) -> Commitment:
    by = f.staff(Role.ORGANISER)
    return conducting.draw_commit(by=by, draw=draw.uuid, source="dice", pieces=12)


def inspector_of(draw: Draw) -> StaffActor:
    return f.signed_on(draw.attendances.select_related("inspector").latest("pk").inspector)


def enter(race: Race) -> Outcome:
    return conducting.draw_enter(
        by=inspector_of(standing(race)),
        draw=standing(race).uuid,
        source="dice",
        text="3 1 6 1 4 2 5 3 6 4 2 2",
        witness="A player",
    )


def certify(race: Race, **more: Any) -> None:
    draw = standing(race)
    conducting.draw_certify(by=inspector_of(draw), draw=draw.uuid, **more)


@pytest.mark.article("14.III.5.4.2")
def test_the_declaration_announces_the_draw_at_the_central_office_in_time(race: Race) -> None:
    """[B16]: midway to the two hours, so that the draw, which is not earlier, is not late."""
    draw = declare(race)
    announcement = services.announcement_of(draw)
    assert announcement.place == f.central_office()
    assert draw.due_at == draw.declared_at + timedelta(hours=2)
    planned_in = announcement.planned_at - draw.declared_at
    assert abs(planned_in - timedelta(hours=1)) < timedelta(seconds=5)
    assert draw.title["ca"].startswith("Cursa 1") or draw.title["ca"].startswith("Race 1")
    place = declare(f.races_of(Contest.objects.get())[1], draw_place="Hipòdrom Son Pardo")
    assert services.announcement_of(place).place == "Hipòdrom Son Pardo"


@pytest.mark.article("14.III.5.4.2")
def test_a_whole_meeting_is_drawn_race_by_race(contest: Contest) -> None:
    other = f.race(
        contest.meeting, 8, clock.now() + timedelta(hours=6), course=f.racecourse("BETLESS")
    )
    starting.call_off(contest.meeting)
    assert Draw.objects.count() == 7, "no bet is on the eighth race"
    f.contest(kind="five-races", races=[other, *f.races_of(contest)[:4]])
    assert declare(other).subject == subject_of(other.pk)


@pytest.mark.article("14.III.5.4.2", "14.III.5.4.4")
def test_the_certified_order_is_the_result_and_the_contest_can_be_settled(
    contest: Contest, race: Race
) -> None:
    for number in (2, 9):
        f.withdrawal(race, number)
    for other in f.races_of(contest)[1:]:
        f.classified(other, [1])
    declare(race)
    commit(race)
    assert DrawField.objects.get().entries == ["1", "3", "4", "5", "6", "7", "8", "10"]
    outcome = enter(race)
    assert race_record(race.pk).state is RaceState.DECLARED, "no result before the certificate"
    contest.refresh_from_db()
    with pytest.raises(DatabaseError), transaction.atomic():
        rounds.bare_settlement(contest)
    certify(race)
    record = race_record(race.pk)
    assert record.state is RaceState.DRAWN
    assert record.facts().winners == {int(outcome.order[0])}
    (first, *_) = contest_results(contest).legs
    assert first.official_at == record.drawn.certified_at if record.drawn else False
    f.prints_ended(contest)
    assert contest_settle(contest_id=contest.pk).in_force


@pytest.mark.article("14.III.5.4.3")
def test_a_suspended_race_is_drawn_among_those_that_started(race: Race) -> None:
    f.withdrawal(race, 2)
    f.started(race)
    f.contest_closed(Contest.objects.get())
    declare(race, Kind.SUSPENDED, left=[Left(3, "Refused")])
    commit(race)
    field = DrawField.objects.get()
    assert field.entries == ["1", "4", "5", "6", "7", "8", "9", "10"] and field.places == 8
    assert field.facts["withdrawn"] == [2] and field.facts["left"] == [3]


@pytest.mark.article("14.III.5.4.2")
def test_no_draw_begins_before_closing_or_over_an_unconfirmed_withdrawal(race: Race) -> None:
    declare(race)
    other = f.contest(kind="five-races", races=[race, *f.races_of(Contest.objects.get())[1:5]])
    with pytest.raises(DrawBeforeClosing):
        commit(race)
    f.contest_closed(other, sealed=False)
    draw = standing(race)
    services.draw_attend(by=f.staff(Role.INSPECTOR), draw=draw.uuid)
    with pytest.raises(ContestNotSealed):
        begin(draw)
    waiting = f.withdrawal(race, 4, confirmed=False)
    with pytest.raises(DrawUnconfirmed):
        commit(race)
    Withdrawal.objects.filter(pk=waiting.pk).update(confirmed_at=clock.now())
    assert commit(race)


def test_once_committed_nothing_changes_the_field(race: Race) -> None:
    before = clock.now()
    gone = f.withdrawal(race, 2)
    f.started(race)
    f.contest_closed(Contest.objects.get())
    declare(race, Kind.SUSPENDED)
    commit(race)
    steward = f.staff(Role.STEWARDS)
    for act in (
        lambda: withdrawal_enter(
            by=steward, race_id=race.pk, number=5, source="Vet", effective_at=before
        ),
        lambda: withdrawal_reverse(by=steward, withdrawal_id=gone.pk, reason="x"),
    ):
        with pytest.raises(services.DrawBegun):
            act()
    another = RaceStart.objects.values().get() | {"id": None, "actual_start_at": before}
    with pytest.raises(DatabaseError, match="draw has begun"), transaction.atomic():
        RaceStart.objects.create(**another)


@pytest.mark.article("14.III.5.4.2")
def test_a_race_run_before_the_commitment_needs_no_draw(contest: Contest, race: Race) -> None:
    """[B13, B16]"""
    f.time_to(race.scheduled_start_at - timedelta(minutes=30))
    draw = declare(race)
    f.time_to(race.scheduled_start_at)
    starting.start(race)
    draw.refresh_from_db()
    assert draw.state == "called_off" and race_record(race.pk).draw is None
    assert published(kind=documents.CALLED_OFF, subject=str(draw.uuid))


@pytest.mark.article("14.III.5.4.4")
def test_from_the_commitment_on_a_draw_is_neither_overtaken_nor_retracted(race: Race) -> None:
    """[B16]: nothing but the computed order counts."""
    f.time_to(race.scheduled_start_at - timedelta(minutes=30))
    declare(race)
    first, second = f.two_organisers()
    proposal = declaration_retract(by=first, race_id=race.pk, reason="Wrong race")
    commit(race)
    for _ in range(2):
        with pytest.raises(services.DrawBegun):
            starting.start(race)
        with pytest.raises(services.DrawBegun):
            two_persons.confirm(proposal=proposal.uuid, by=second)
        enter(race)
    certify(race)


@pytest.mark.article("14.III.5.4.2")
def test_a_race_that_was_run_after_all_is_run_once_its_committed_draw_is_abandoned(
    race: Race,
) -> None:
    """[B13, B16]: the abandonment announces another draw, and the start calls that off."""
    f.time_to(race.scheduled_start_at - timedelta(minutes=30))
    draw = declare(race)
    commit(race)
    proposal = abandonment_propose(by=inspector_of(draw), draw=draw.uuid, reason="The race was run")
    two_persons.confirm(proposal=proposal.uuid, by=f.staff(Role.ORGANISER))
    assert standing(race) != draw
    starting.start(race)
    states = Draw.objects.order_by("pk").values_list("state", flat=True)
    assert [*states] == ["abandoned", "called_off"] and race_record(race.pk).draw is None


@pytest.mark.article("14.III.5.4.4")
def test_no_later_fact_makes_balls_void_that_wait_for_the_inspector(race: Race) -> None:
    """[B13, B16]: an organiser could retract the declaration, and draw another order."""
    f.time_to(race.scheduled_start_at - timedelta(minutes=30))
    draw = declare(race)
    first, second = f.two_organisers()
    retraction = declaration_retract(by=first, race_id=race.pk, reason="Wrong race")
    for contest in Contest.objects.filter(state=Contest.State.CLOSED):
        contest_seal(contest_id=contest.pk)
    f.announced_time(draw)
    services.draw_attend(by=f.staff(Role.INSPECTOR), draw=draw.uuid)
    drawn = balls(draw, first)
    steward = f.staff(Role.STEWARDS)
    with pytest.raises(BallsEntered):  # nor does who entered them take them back
        two_persons.reject(proposal=drawn.uuid, by=first)
    for act in (
        lambda: two_persons.confirm(proposal=retraction.uuid, by=second),
        lambda: starting.start(race),
        lambda: withdrawal_enter(by=steward, race_id=race.pk, number=5, source="Vet"),
        lambda: begin(draw),
        lambda: services.draw_reannounce(
            by=second, draw=draw.uuid, place="Son Pardo", planned_at=clock.now() + timedelta(days=1)
        ),
    ):
        with pytest.raises(services.DrawBegun):
            act()
    two_persons.confirm(proposal=drawn.uuid, by=inspector_of(draw))
    certify(race)
    assert race_record(race.pk).facts().winners == {int(drawn.content["order"][0])}
    with pytest.raises(DrawCertified):
        two_persons.confirm(proposal=retraction.uuid, by=second)


@pytest.mark.article("14.III.5.4.4")
def test_the_database_changes_no_fact_behind_a_draw_that_has_begun(race: Race) -> None:
    """[B13, B16]: while balls wait, and once the draw is committed to."""
    f.time_to(race.scheduled_start_at - timedelta(minutes=30))
    withdrawn = f.withdrawal(race, 3)
    draw, ended = declare(race), clock.now()
    standing = RaceDeclaration.objects.get()
    retraction = f.proposal("lototrot.declaration_retraction", content={"declaration": standing.pk})
    reversal = f.proposal(
        "lototrot.withdrawal_reversal", content={"withdrawal": withdrawn.pk, "reason": ""}
    )
    for contest in Contest.objects.filter(state=Contest.State.CLOSED):
        contest_seal(contest_id=contest.pk)
    f.announced_time(draw)
    services.draw_attend(by=f.staff(Role.INSPECTOR), draw=draw.uuid)
    facts = (
        lambda: f.withdrawal(race, 5),
        lambda: f.started(race),
        lambda: Withdrawal.objects.update(reversed_at=ended, reversal=reversal),
        lambda: RaceDeclaration.objects.update(superseded_at=ended, retraction=retraction),
    )
    drawn = balls(draw, f.staff(Role.ORGANISER))
    _refused_by_the_database(facts)
    two_persons.reject(proposal=drawn.uuid, by=inspector_of(draw), reason="A ball was missing")
    for fact in facts:  # nothing else refuses them
        with transaction.atomic():
            fact()
            transaction.set_rollback(True)
    begin(draw)
    _refused_by_the_database(facts)


def _refused_by_the_database(facts: Sequence[Callable[[], object]]) -> None:
    for fact in facts:
        with pytest.raises(DatabaseError, match="its draw has begun"), transaction.atomic():
            fact()


@pytest.mark.article("14.III.5.4.4")
def test_balls_that_the_inspector_rejects_give_no_certificate_and_another_draw_is_held(
    race: Race,
) -> None:
    """They stay on record as rejected; the draw stays announced until its declaration goes."""
    f.time_to(race.scheduled_start_at - timedelta(minutes=30))
    draw = declare(race)
    first, second = f.two_organisers()
    for contest in Contest.objects.filter(state=Contest.State.CLOSED):
        contest_seal(contest_id=contest.pk)
    f.announced_time(draw)
    services.draw_attend(by=f.staff(Role.INSPECTOR), draw=draw.uuid)
    drawn = balls(draw, first)
    two_persons.reject(proposal=drawn.uuid, by=inspector_of(draw), reason="A ball was missing")
    assert standing(race) == draw and not Outcome.objects.exists()
    retraction = declaration_retract(by=first, race_id=race.pk, reason="Wrong race")
    two_persons.confirm(proposal=retraction.uuid, by=second)
    draw.refresh_from_db()
    assert draw.state == Draw.State.CALLED_OFF
    assert published(kind=documents.MINUTES, subject=str(draw.uuid)) is None
    assert published(kind=documents.CALLED_OFF, subject=str(draw.uuid))
    assert declare(race) != draw
    f.announced_time(standing(race))
    services.draw_attend(by=f.staff(Role.INSPECTOR), draw=standing(race).uuid)
    begin(standing(race))
    outcome = enter(race)
    certify(race)
    assert race_record(race.pk).facts().winners == {int(outcome.order[0])}


@pytest.mark.article("14.III.5.4.4")
def test_balls_that_no_inspector_decides_in_time_are_entered_again(race: Race) -> None:
    f.time_to(race.scheduled_start_at - timedelta(minutes=30))
    draw = declare(race)
    for contest in Contest.objects.filter(state=Contest.State.CLOSED):
        contest_seal(contest_id=contest.pk)
    f.announced_time(draw)
    first, second = f.two_organisers()
    old = balls(draw, first)
    f.time_pass(days=2)
    again = balls(draw, second)
    old.refresh_from_db()
    assert old.decision.verdict == "rejected"
    f.time_pass(days=2)
    two_persons.reject(proposal=again.uuid, by=second, reason="Nobody came")


def balls(draw: Draw, by: StaffActor) -> Proposal:
    """Enter an order that balls gave while the system was down."""
    order = reversed(conducting.field_now(draw).entries)
    return manual_propose(
        by=by,
        draw=draw.uuid,
        order=[*order],
        drawn_at=clock.now(),
        witness="A player",
        cause="No power",
    )


def test_a_retraction_calls_the_draw_off_and_a_new_declaration_announces_another(
    race: Race,
) -> None:
    old = declare(race)
    first, second = f.two_organisers()
    proposal = declaration_retract(by=first, race_id=race.pk, reason="Wrong race")
    two_persons.confirm(proposal=proposal.uuid, by=second)
    assert declare(race) != old


@pytest.mark.article("14.III.5.4.2")
def test_the_draw_is_announced_at_an_office_with_the_longest_address(race: Race) -> None:
    """[B16]"""
    office = Premises.objects.create(
        code="OFICINA-LLARGA",
        kind=Premises.Kind.CENTRAL_OFFICE,
        name="N" * 120,
        address="C" * 200,
        municipality="M" * 80,
        created_at=clock.now(),
        proposal=f.proposal(
            "premises.opening",
            "opening:long",
            {
                "premises": [
                    {"code": "OFICINA-LLARGA", "kind": "central_office", "municipality": "M" * 80}
                ]
            },
        ),
    )
    declare(race, draw_place=office.code)
    draw = race_record(race.pk).draw
    assert draw is not None
    assert draw.place == f"{office.name}, {office.address}, {office.municipality}"
