"""Check what the database refuses of withdrawals, starts, declarations and classifications."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from core.database import clock
from lototrot.engine.races import Race as Facts
from lototrot.models.programme import Race
from lototrot.models.running import Classification, RaceStart, Withdrawal
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
