"""Refuse in the database changes of a committed emission and of its lanes."""

from collections.abc import Callable

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from core.database import clock
from core.staff.powers import Role
from promotrot.models.emission import (
    Commitment,
    Emission,
    Lane,
    Opening,
    PrizeTier,
    SeedReveal,
    WitnessEntropy,
)
from promotrot.services.emissions import (
    emission_commit,
)
from tests.support import emitting, factories

pytestmark = pytest.mark.django_db


def _skip(emission: Emission, state: str) -> None:
    Emission.objects.filter(pk=emission.pk).update(state=state)


FORBIDDEN: dict[str, Callable[[Emission], object]] = {
    "open without its lanes": lambda e: _skip(e, "open"),
    "closed without its statement": lambda e: _skip(e, "closed"),
    "back to a draft": lambda e: _skip(e, "draft"),
    "abandoned while its game goes on": lambda e: _skip(e, "abandoned"),
    "a second witness": lambda e: WitnessEntropy.objects.create(
        emission=e,
        entropy="x",
        source="x",
        entered_at=clock.now(),
        entered_by_id=factories.staff(Role.INSPECTOR).user_id,
        entered_in_id=factories.staff(Role.INSPECTOR).session_id,
    ),
    "another plan": lambda e: Emission.objects.filter(pk=e.pk).update(plan={}),
    "another price": lambda e: Emission.objects.filter(pk=e.pk).update(price_cents=1),
    "its seed before the closing": lambda e: SeedReveal.objects.create(
        emission=e, seed="00" * 32, revealed_at=clock.now()
    ),
    "another seed": lambda e: Commitment.objects.filter(emission=e).update(digest="00"),
}


@pytest.mark.article("15.II.2")
@pytest.mark.parametrize("case", FORBIDDEN)
def test_what_the_database_refuses_of_a_witnessed_emission(case: str) -> None:
    emission = emitting.planned(emitting.approved(emitting.small()))
    emission = emitting.witnessed(emitting.committed(emission))
    with pytest.raises(DatabaseError), transaction.atomic():
        FORBIDDEN[case](emission)


def test_the_database_refuses_a_witness_before_the_commitment_or_by_who_committed() -> None:
    emission = emitting.planned(emitting.approved(emitting.small()))
    organiser = factories.staff(Role.ORGANISER)
    witness = WitnessEntropy(
        emission=emission,
        entropy="x",
        source="x",
        entered_at=clock.now(),
        entered_by_id=organiser.user_id,
        entered_in_id=organiser.session_id,
    )
    with pytest.raises(IntegrityError), transaction.atomic():
        witness.save()
    emission_commit(by=organiser, emission=emission, source="dice", pieces=10)
    with pytest.raises(IntegrityError), transaction.atomic():
        witness.save()


@pytest.mark.article("15.II.2")
@pytest.mark.parametrize(
    ("source", "entropy"), [("balls", " ".join("1" * 50)), ("dice", " ".join("1" * 49))]
)
def test_the_database_refuses_other_dice_than_those_committed_to(source: str, entropy: str) -> None:
    """A person who may choose how many count can roll until the key suits."""
    emission = emitting.committed(emitting.planned(emitting.approved(emitting.small())))
    inspector = factories.staff(Role.INSPECTOR)
    with pytest.raises(IntegrityError, match="those committed to"), transaction.atomic():
        WitnessEntropy.objects.create(
            emission=emission,
            entropy=entropy,
            source=source,
            entered_at=clock.now(),
            entered_by_id=inspector.user_id,
            entered_in_id=inspector.session_id,
        )


@pytest.mark.parametrize(
    "change",
    ["taken = taken + 2", "taken = taken - 1", "open = true", "tickets = tickets + 1", "first = 7"],
)
def test_a_lane_is_taken_one_ticket_at_a_time_and_never_opened_again(change: str) -> None:
    emission = emitting.opened(emitting.document("lap-of-honour"))
    lane = emission.lanes.order_by("opening", "first")[0]
    Lane.objects.filter(pk=lane.pk).update(taken=1)
    Lane.objects.filter(pk=lane.pk).update(open=False)
    with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"UPDATE promotrot_lane SET {change} WHERE id = %s", [lane.pk])
    with pytest.raises(DatabaseError), transaction.atomic():
        Lane.objects.filter(pk=lane.pk).update(taken=2)


@pytest.mark.article("15.II.2")
def test_no_prize_is_added_after_the_plan() -> None:
    """Otherwise a program could add a large one, end a losing play with it, and be paid."""
    emission = emitting.opened(emitting.small())
    refused = pytest.raises(IntegrityError, match="its prizes are those of its plan")
    with refused, transaction.atomic():
        PrizeTier.objects.create(emission=emission, number=3, value_cents=1_000_000, extra=True)
    assert emission.tiers.count() == 2


def test_no_lane_is_added_to_an_emission_on_sale() -> None:
    emission = emitting.opened(emitting.small())
    with pytest.raises(IntegrityError), transaction.atomic():
        Lane.objects.create(emission=emission, opening=1, first=0, tickets=5)
    assert Opening.objects.count() == 1
