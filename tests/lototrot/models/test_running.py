"""Check what the database refuses of withdrawals, starts, declarations and classifications."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from core.database import clock
from core.staff import two_persons
from lototrot.engine.races import Race as Facts
from lototrot.models.programme import Race
from lototrot.models.running import Classification, RaceDeclaration, RaceStart, Withdrawal
from lototrot.services.races.declarations import declaration_retract
from tests.support import factories, rounds

pytestmark = pytest.mark.django_db


@pytest.fixture
def race() -> Race:
    race: Race = factories.meeting(races=1).races.get()
    return race


@pytest.mark.article("14.III.5.4.1")
def test_a_horse_is_withdrawn_once(race: Race) -> None:
    factories.withdrawal(race, 4)
    factories.withdrawal(race, 5)
    with pytest.raises(IntegrityError), transaction.atomic():
        factories.withdrawal(race, 4)
    assert Withdrawal.objects.filter(race=race).count() == 2


@pytest.mark.article("14.III.5.4.1")
def test_a_withdrawal_is_not_effective_in_the_future(race: Race) -> None:
    first = factories.withdrawal(race, 4)
    with pytest.raises(IntegrityError, match="withdrawal_not_ahead"), transaction.atomic():
        Withdrawal.objects.create(
            race=race,
            number=5,
            effective_at=first.entered_at + timedelta(seconds=1),
            source="Stewards",
            entered_at=first.entered_at,
            entered_by_id=first.entered_by_id,
            entered_in_id=first.entered_in_id,
            proposal=factories.proposal(
                "lototrot.withdrawal",
                content={
                    "race": race.pk,
                    "number": 5,
                    "source": "Stewards",
                    "effective_at": (first.entered_at + timedelta(seconds=1)).isoformat(),
                },
            ),
        )


@pytest.mark.article("14.III.4")
def test_a_recorded_start_does_not_change(race: Race) -> None:
    start = factories.started(race)
    with pytest.raises(DatabaseError), transaction.atomic():
        RaceStart.objects.filter(pk=start.pk).update(actual_start_at=clock.now())


@pytest.mark.article("14.III.5.3")
def test_a_race_has_one_classification_in_force_and_its_text_is_frozen(race: Race) -> None:
    first = factories.classified(race, [1])
    with pytest.raises(IntegrityError), transaction.atomic():
        factories.classified(race, [2])
    with pytest.raises(DatabaseError), transaction.atomic():
        Classification.objects.filter(pk=first.pk).update(announced_text="Another")
    Classification.objects.filter(pk=first.pk).update(in_force=False)
    factories.classified(race, [2])


@pytest.mark.article("14.III.8.2")
def test_a_horse_is_neither_withdrawn_nor_back_once_payment_is_ordered() -> None:
    """[B14]: not even by SQL of the application's role."""
    factories.time_to(rounds.NOON)
    contest = rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3)] * 2)
    rounds.run(contest, [Facts((1, 2, 3), withdrawn=frozenset({3}), winners=frozenset({1}))] * 2)
    race = factories.races_of(contest)[0]
    standing = Withdrawal.objects.get(race=race)
    named = {"withdrawal": standing.pk, "reason": "Mistake."}
    reversal = factories.proposal("lototrot.withdrawal_reversal", content=named)
    facts = (
        lambda: factories.withdrawal(race, 15),
        lambda: factories.withdrawal(race, 15, confirmed=False),
        lambda: Withdrawal.objects.filter(pk=standing.pk).update(
            reversed_at=clock.now(), reversed_reason="Mistake.", reversal=reversal
        ),
    )
    for fact in facts:  # nothing else refuses them
        with transaction.atomic():
            fact()
            transaction.set_rollback(True)
    rounds.order(contest)
    for fact in facts:
        with pytest.raises(DatabaseError, match="payment is ordered"), transaction.atomic():
            fact()


@pytest.mark.article("14.III.5.3", "14.III.8.2")
def test_a_classification_stays_once_payment_is_ordered() -> None:
    """[B14]: not even by SQL of the application's role."""
    factories.time_to(rounds.NOON)
    contest = rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3)] * 2)
    rounds.run(contest, [Facts((1, 2, 3), winners=frozenset({1}))] * 2)
    race = factories.races_of(contest)[0]
    rounds.order(contest)
    with pytest.raises(DatabaseError, match="payment is ordered"), transaction.atomic():
        rounds.reclassify(race, [2])
    with pytest.raises(DatabaseError, match="payment is ordered"), transaction.atomic():
        factories.classified(race, [2])


@pytest.mark.article("14.III.5.3", "14.III.5.4.2")
def test_a_race_has_a_classification_or_a_draw_and_not_both(race: Race) -> None:
    """[B13, B17]: two persons could have chosen later which of them counts."""
    with pytest.raises(IntegrityError, match="another result"), transaction.atomic():
        factories.declared(race, RaceDeclaration.Kind.SUSPENDED)
    factories.started(race)
    with pytest.raises(IntegrityError, match="another result"), transaction.atomic():
        factories.declared(race)
    with transaction.atomic():
        factories.declared(race, RaceDeclaration.Kind.SUSPENDED)
        with pytest.raises(IntegrityError, match="another result"), transaction.atomic():
            factories.classified(race, [1])
        transaction.set_rollback(True)
    factories.classified(race, [1])
    with pytest.raises(IntegrityError, match="another result"), transaction.atomic():
        factories.declared(race, RaceDeclaration.Kind.SUSPENDED)


@pytest.mark.article("14.III.5.4.2")
def test_a_race_that_starts_is_no_longer_declared_not_run(race: Race) -> None:
    """[B13]: otherwise its horses run, and two persons still draw it."""
    declaration = factories.declared(race)
    with pytest.raises(IntegrityError, match="declared not run"), transaction.atomic():
        factories.started(race)
        checked()
    with transaction.atomic():
        factories.started(race)
        RaceDeclaration.objects.filter(pk=declaration.pk).update(superseded_at=clock.now())
        checked()


@pytest.mark.article("14.III.5.4.2")
def test_of_a_meeting_that_is_not_run_no_race_is_left_out() -> None:
    """One that is left out could still be run, or classified, as suits who knows the bets."""
    races = list(factories.meeting(races=3).races.order_by("number"))
    now = clock.now()
    content = factories.declaration_of(races[0], now, race=None)

    def declare(*of: Race) -> None:
        confirmed = factories.proposal("lototrot.declaration", content=content)
        for each in of:
            RaceDeclaration.objects.create(
                race=each,
                kind=content["kind"],
                reason=content["reason"],
                text=content["text"],
                author=content["author"],
                declared_at=now,
                recorded_at=now,
                recorded_by_id=confirmed.proposed_by_id,
                recorded_in_id=confirmed.proposed_in_id,
                proposal=confirmed,
            )
        checked()

    with pytest.raises(IntegrityError, match="all of its meeting"), transaction.atomic():
        declare(*races[:2])
    factories.declared(races[2])
    one, two = factories.two_stewards()
    retraction = declaration_retract(by=one, race_id=races[2].pk, reason="Another race")
    two_persons.confirm(proposal=retraction.uuid, by=two)
    factories.time_pass(minutes=1)
    with pytest.raises(IntegrityError, match="all of its meeting"), transaction.atomic():
        declare(*races[:2])
    factories.classified(races[2], [1])  # it was run before
    with transaction.atomic():
        declare(*races[:2])


def checked() -> None:
    """Ask what is asked at the end of a transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")
