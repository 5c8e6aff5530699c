"""The stewards' classification: whole, confirmed by another, frozen, corrected as B14 says."""

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
from lototrot.selectors.races import RaceState, race_record
from lototrot.services.races.classification import (
    AllDisqualified,
    AnnouncementIncomplete,
    ClassificationRefused,
    Entry,
)
from lototrot.services.races.course import (
    InstantAhead,
    OutOfOrder,
    RaceClassified,
    RaceDeclared,
    RaceNotStarted,
)
from tests.support import factories as f
from tests.support.lototrot.classifying import confirm, entries, propose, run

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.5.3")]


@pytest.fixture
def race(contest: Contest) -> Race:
    return run(contest)


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
    classification = Classification.objects.get()
    assert (classification.in_force, classification.announced_at, classification.author) == (
        True,
        announced_at,
        "Comissaris",
    )
    assert classification.runners[6] == {"number": 7, "outcome": "winner", "place": 1, "ruling": ""}
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
        propose(race, by=f.in_both_roles(Role.ORGANISER, Role.ADMINISTRATOR))
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
    errors = refused(race, [*wrong, Entry(9, "started"), Entry(31, "started")])
    assert errors == [
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
@pytest.mark.parametrize("kind", ["not_run", "suspended", "all_disqualified", "no_winner"])
def test_a_race_declared_has_no_classification(contest: Contest, race: Race, kind: str) -> None:
    declared = f.races_of(contest)[1] if kind == "not_run" else race
    f.declared(declared, kind)
    with pytest.raises(RaceDeclared):
        propose(declared)


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
