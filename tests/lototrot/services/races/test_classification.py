"""The stewards' classification: whole, confirmed by another, frozen, corrected as B14 says."""

import uuid
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from core.database import clock
from core.kernel.days import NaiveInstant
from core.staff import two_persons
from core.staff.actor import PowerMissing
from core.staff.models import Proposal
from core.staff.powers import Role
from lototrot.engine.races import right_mask
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.models.running import Classification
from lototrot.models.settlement import PaymentOrder, Settlement
from lototrot.selectors.races import RaceState, race_record
from lototrot.services.races import classification as services
from lototrot.services.races.classification import (
    AllDisqualified,
    AnnouncementIncomplete,
    ClassificationChanged,
    ClassificationRefused,
    Entry,
    NotClassified,
    NothingCorrected,
    PaymentOrdered,
    classification_correct,
    classification_propose,
)
from lototrot.services.races.course import (
    InstantAhead,
    RaceClassified,
    RaceDeclared,
    RaceNotStarted,
    ReasonMissing,
)
from lototrot.services.races.starts import OutOfOrder
from tests.support import factories as f

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.5.3")]


@pytest.fixture
def contest() -> Contest:
    return f.contest()


@pytest.fixture
def race(contest: Contest) -> Race:
    """A race that has started, a minute ago; number 3 is withdrawn."""
    race = f.races_of(contest)[0]
    f.withdrawal(race, 3)
    f.time_pass(minutes=1)
    f.started(race)
    f.time_pass(minutes=1)
    return race


def entries(**changed: Entry | None) -> list[Entry]:
    """Winner 7, second 1, 3 withdrawn, the rest started; `n4=None` leaves 4 out."""
    given = {n: Entry(n, "started") for n in range(1, 11)}
    given[7], given[1] = Entry(7, "winner", 1), Entry(1, "started", 2)
    given[3] = Entry(3, "withdrawn")
    for key, entry in changed.items():
        given[int(key[1:])] = entry
    return [entry for entry in given.values() if entry]


def propose(race: Race, runners: list[Entry] | None = None, **more) -> Proposal:
    return classification_propose(
        by=more.get("by") or f.staff(Role.STEWARDS),
        race_id=race.pk,
        runners=entries() if runners is None else runners,
        announced_text=more.get("text", "1. Cavall 7, 2. Cavall 1"),
        author=more.get("author", "Comissaris"),
        announced_at=more.get("at") or clock.now(),
    )


def confirm(proposal: Proposal) -> None:
    two_persons.confirm(proposal=proposal.uuid, by=f.staff(Role.STEWARDS))


def refused(race: Race, runners: list[Entry]) -> list[tuple[str, int | None]]:
    with pytest.raises(ClassificationRefused) as caught:
        propose(race, runners)
    return [(error["code"], error["number"]) for error in caught.value.data["errors"]]


# --- Entering and confirming ----------------------------------------------------------------------


@pytest.mark.article("14.III.3")
def test_what_one_enters_and_another_confirms_is_in_force(race: Race) -> None:
    announced_at = clock.now()
    proposal = propose(race, at=announced_at)
    assert not Classification.objects.exists()
    confirm(proposal)
    made = Classification.objects.get()
    assert (made.in_force, made.announced_at, made.author) == (True, announced_at, "Comissaris")
    assert made.runners[6] == {"number": 7, "outcome": "winner", "place": 1, "ruling": ""}
    record = race_record(race.pk)
    assert record.state is RaceState.CLASSIFIED
    assert right_mask(record.facts()) == 0b1000000


def test_the_same_person_cannot_confirm(race: Race) -> None:
    first = f.staff(Role.STEWARDS)
    proposal = propose(race, by=first)
    for same in (first, f.another_session(first)):
        with pytest.raises(two_persons.SamePerson):
            two_persons.confirm(proposal=proposal.uuid, by=same)
    assert not Classification.objects.exists()


def test_the_database_refuses_what_nobody_confirmed(race: Race) -> None:
    waiting = propose(race)
    rejected = f.proposal("lototrot.start_correction", "other")
    for stated in (waiting, rejected):
        with pytest.raises(IntegrityError, match="two persons"), transaction.atomic():
            Classification.objects.create(
                race=race,
                runners=[],
                announced_text="x",
                announced_at=clock.now(),
                author="x",
                proposal=stated,
                confirmed_at=clock.now(),
            )


def test_only_the_stewards_desk_enters_it(race: Race) -> None:
    with pytest.raises(PowerMissing):
        propose(race, by=f.staff(Role.ORGANISER, Role.ADMINISTRATOR))
    proposal = propose(race)
    with pytest.raises(PowerMissing):
        two_persons.confirm(proposal=proposal.uuid, by=f.staff(Role.ORGANISER))


def test_confirming_again_changes_nothing_and_a_rejected_one_may_be_entered_anew(
    race: Race,
) -> None:
    by = f.staff(Role.STEWARDS)
    two_persons.reject(proposal=propose(race).uuid, by=by, reason="Misread")
    proposal = propose(race)
    two_persons.confirm(proposal=proposal.uuid, by=by)
    two_persons.confirm(proposal=proposal.uuid, by=by)
    assert Classification.objects.count() == 1


def test_it_is_frozen_at_its_announcement(race: Race) -> None:
    """[B14]: what comes later has no effect."""
    confirm(propose(race))
    with pytest.raises(RaceClassified):
        propose(race, entries(n7=Entry(7, "disqualified"), n1=Entry(1, "winner", 1)))


@pytest.mark.article("14.III.9.9")
def test_a_dead_heat_has_several_winners(race: Race) -> None:
    confirm(propose(race, entries(n1=Entry(1, "winner", 1))))
    assert race_record(race.pk).facts().winners == {1, 7}


@pytest.mark.article("14.III.5.4.1")
def test_left_at_the_start_needs_a_ruling(race: Race) -> None:
    """[B5]"""
    assert refused(race, entries(n4=Entry(4, "left", ruling=" "))) == [("ruling_missing", 4)]
    confirm(propose(race, entries(n4=Entry(4, "left", ruling="Refused to start: ruling 3"))))
    assert race_record(race.pk).facts().left == {4}


def test_every_error_is_named_with_its_number(race: Race) -> None:
    wrong = entries(
        n1=None,
        n2=Entry(2, "withdrawn"),
        n3=Entry(3, "started"),
        n4=Entry(4, "left"),
        n5=Entry(5, "vanished"),
        n6=Entry(6, "started", 1),
        n7=Entry(7, "winner", 2),
        n8=Entry(8, "disqualified", 3),
    )
    found = refused(race, [*wrong, Entry(9, "started"), Entry(31, "started")])
    assert found == [
        ("number_missing", 1),
        ("number_repeated", 9),
        ("number_unknown", 31),
        ("not_withdrawn", 2),
        ("is_withdrawn", 3),
        ("ruling_missing", 4),
        ("outcome_unknown", 5),
        ("place_wrong", 6),
        ("place_wrong", 7),
        ("place_wrong", 8),
    ]
    assert not Proposal.objects.filter(kind="lototrot.classification").exists()


def test_a_race_needs_a_winner(race: Race) -> None:
    assert refused(race, entries(n7=Entry(7, "started", 2))) == [("no_winner", None)]
    left = [Entry(n, "left", ruling="x") for n in range(1, 11) if n != 3]
    assert refused(race, [*left, Entry(3, "withdrawn")]) == [("no_winner", None)]


def test_withdrawals_must_be_confirmed_first(race: Race) -> None:
    f.withdrawal(race, 5, confirmed=False)
    f.time_pass(seconds=1)
    # It came after the start on record: neither withdrawn nor settled.
    assert refused(race, entries()) == [("withdrawal_unconfirmed", 5)]


def test_a_withdrawal_later_than_the_start_must_go_first(race: Race) -> None:
    f.withdrawal(race, 5)
    assert refused(race, entries()) == [("withdrawal_too_late", 5)]
    both = entries(n5=Entry(5, "withdrawn"))
    assert refused(race, both) == [("not_withdrawn", 5), ("withdrawal_too_late", 5)]


@pytest.mark.article("14.III.5.4.3")
def test_all_disqualified_is_a_declaration_not_a_classification(race: Race) -> None:
    """[B8]"""
    runners = [Entry(n, "disqualified") for n in range(1, 11) if n not in (3, 4)]
    with pytest.raises(AllDisqualified):
        propose(race, [*runners, Entry(3, "withdrawn"), Entry(4, "left", ruling="x")])


@pytest.mark.article("14.III.5.4.2", "14.III.5.4.3")
@pytest.mark.parametrize("kind", ["not_run", "suspended", "all_disqualified"])
def test_a_race_declared_has_no_classification(race: Race, kind: str) -> None:
    f.declared(race, kind)
    with pytest.raises(RaceDeclared):
        propose(race)


@pytest.mark.article("14.III.4")
def test_the_start_is_on_record_before_the_first_result(contest: Contest) -> None:
    """[E3]"""
    with pytest.raises(RaceNotStarted):
        propose(f.races_of(contest)[1])


def test_the_announcement_is_whole_and_in_its_time(race: Race) -> None:
    start = race.starts.get().actual_start_at
    for incomplete in ({"text": " "}, {"author": ""}):
        with pytest.raises(AnnouncementIncomplete):
            propose(race, **incomplete)
    with pytest.raises(OutOfOrder):
        propose(race, at=start)
    with pytest.raises(InstantAhead):
        propose(race, at=clock.now() + timedelta(minutes=1))
    with pytest.raises(NaiveInstant):
        propose(race, at=clock.now().replace(tzinfo=None))


def test_what_changed_meanwhile_is_seen_when_it_is_confirmed(race: Race) -> None:
    proposal = propose(race)
    f.declared(race, "suspended")
    with pytest.raises(RaceDeclared):
        confirm(proposal)
    assert not Classification.objects.exists()


# --- Correction -----------------------------------------------------------------------------------


def correct(race: Race, runners: list[Entry], reason: str = "7 keyed for 1", by=None) -> Proposal:
    return classification_correct(
        by=by or f.staff(Role.STEWARDS), race_id=race.pk, runners=runners, reason=reason
    )


ANNOUNCED = entries(n7=Entry(7, "started", 2), n1=Entry(1, "winner", 1))


def test_a_keying_error_is_corrected_by_two_persons(race: Race) -> None:
    """[B14]: the text, its author and its time stay, and so does the row that was wrong."""
    confirm(propose(race))
    wrong = Classification.objects.get()
    first = f.staff(Role.STEWARDS)
    proposal = correct(race, ANNOUNCED, by=first)
    assert proposal.content["reason"] == "7 keyed for 1"
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=f.another_session(first))
    assert race_record(race.pk).facts().winners == {7}
    confirm(proposal)
    wrong.refresh_from_db()
    right = Classification.objects.get(in_force=True)
    assert (wrong.in_force, right.corrects) == (False, wrong)
    assert (right.announced_text, right.announced_at) == (wrong.announced_text, wrong.announced_at)
    assert race_record(race.pk).facts().winners == {1}


def test_a_correction_must_correct_something_and_say_why(race: Race) -> None:
    with pytest.raises(NotClassified):
        correct(race, ANNOUNCED)
    confirm(propose(race))
    with pytest.raises(ReasonMissing):
        correct(race, ANNOUNCED, reason=" ")
    with pytest.raises(NothingCorrected):
        correct(race, list(reversed(entries())))
    with pytest.raises(ClassificationRefused):
        correct(race, entries(n4=None))
    with pytest.raises(PowerMissing):
        correct(race, ANNOUNCED, by=f.staff(Role.ORGANISER))
    proposal = correct(race, ANNOUNCED)
    with pytest.raises(two_persons.ProposalPending):
        correct(race, ANNOUNCED)
    two_persons.reject(proposal=proposal.uuid, by=f.staff(Role.STEWARDS))
    assert Classification.objects.count() == 1


def test_a_correction_of_what_was_corrected_meanwhile_is_refused(race: Race) -> None:
    confirm(propose(race))
    proposal = correct(race, ANNOUNCED)
    before = Classification.objects.get()
    Classification.objects.filter(pk=before.pk).update(in_force=False)
    Classification.objects.create(
        race=race,
        runners=before.runners,
        announced_text="x",
        announced_at=before.announced_at,
        author="x",
        proposal=f.proposal("lototrot.classification_correction", "other"),
        confirmed_at=clock.now(),
        corrects=before,
    )
    with pytest.raises(ClassificationChanged):
        confirm(proposal)


def settled(contest: Contest) -> Settlement:
    f.contest_closed(contest)
    Contest.objects.filter(pk=contest.pk).update(state="settled")
    return Settlement.objects.create(
        uuid=uuid.uuid4(),
        contest=contest,
        number=1,
        rules={},
        races=[],
        tickets=0,
        bets=0,
        winning_tickets=0,
        takings_cents=0,
        jackpot_in_cents=0,
        reserve_in_cents=0,
        lapsed_in_cents=0,
        prizes_cents=0,
        jackpot_out_cents=0,
        reserve_out_cents=0,
        figures={},
        settled_at=clock.now(),
    )


def test_a_settled_contest_is_due_again_after_a_correction(contest: Contest, race: Race) -> None:
    confirm(propose(race))
    settlement = settled(contest)
    proposal = correct(race, ANNOUNCED)
    contest.refresh_from_db()
    assert contest.state == "settled"
    confirm(proposal)
    contest.refresh_from_db()
    settlement.refresh_from_db()
    assert (contest.state, settlement.in_force) == ("closed", False)


def test_every_settled_contest_on_the_race_is_reversed_and_no_other(
    contest: Contest, race: Race, monkeypatch
) -> None:
    confirm(propose(race))
    unsettled = f.contest_closed(f.contest(contest.meeting, kind="five-races"))
    settled(contest)
    settled(f.contest(f.meeting(day=contest.day + timedelta(days=1))))
    called = []
    monkeypatch.setattr(
        services, "settlement_reverse", lambda *, contest_id, by: called.append(contest_id)
    )
    confirm(correct(race, ANNOUNCED))
    assert called == [contest.pk]
    unsettled.refresh_from_db()
    assert unsettled.state == "closed"


@pytest.mark.article("14.III.8.2")
def test_nothing_is_corrected_once_payment_is_ordered(contest: Contest, race: Race) -> None:
    confirm(propose(race))
    settlement = settled(contest)
    proposal = correct(race, ANNOUNCED)
    Contest.objects.filter(pk=contest.pk).update(state="ordered")
    PaymentOrder.objects.create(
        contest=contest,
        settlement=settlement,
        ordered_at=clock.now(),
        results_day=contest.day,
        proposal=f.proposal("lototrot.payment_order", "x"),
        first_pay_day=contest.day,
        last_claim_day=contest.day,
    )
    with pytest.raises(PaymentOrdered):
        confirm(proposal)
    two_persons.reject(proposal=proposal.uuid, by=f.staff(Role.STEWARDS))
    with pytest.raises(PaymentOrdered):
        correct(race, ANNOUNCED)
    assert race_record(race.pk).facts().winners == {7}
    settlement.refresh_from_db()
    assert settlement.in_force


@pytest.mark.article("14.III.8.2")
def test_the_database_refuses_a_payment_order_nobody_confirmed(contest: Contest) -> None:
    day, settlement = contest.day, settled(contest)
    with pytest.raises(IntegrityError, match="two persons"), transaction.atomic():
        PaymentOrder.objects.create(
            contest=contest,
            settlement=settlement,
            ordered_at=clock.now(),
            results_day=day,
            proposal=f.proposal("lototrot.classification", "x"),
            first_pay_day=day,
            last_claim_day=day,
        )


def test_a_corrected_start_does_not_undo_a_classified_withdrawal(race: Race) -> None:
    """A classified withdrawal stays so, though the start proves to be earlier."""
    confirm(propose(race))
    withdrawal = race.withdrawals.get()
    start = race.starts.get()
    start_again = replace_start(start, withdrawal.effective_at - timedelta(seconds=1))
    assert race_record(race.pk).start == start_again
    assert race_record(race.pk).withdrawn == {3}


def replace_start(start, at):
    return type(start).objects.create(
        race=start.race,
        actual_start_at=at,
        source="Video",
        recorded_at=clock.now(),
        recorded_by_id=start.recorded_by_id,
        recorded_in_id=start.recorded_in_id,
        proposal=f.proposal("lototrot.start_correction", "x"),
    )
