"""Check what the database refuses of settlements, prizes, payment orders and carry-overs."""

import uuid
from datetime import date, datetime, time, timedelta

import pytest
from django.db import DatabaseError, IntegrityError, transaction

from core.database import clock
from core.kernel.days import MADRID, add_days
from lototrot.models.settlement import CarryOver, Lapse, PaymentOrder, Prize, Settlement
from tests.support import factories, rounds

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


@pytest.mark.article("14.III.9.1")
def test_a_contest_has_one_settlement_in_force_and_its_figures_are_frozen() -> None:
    contest = rounds.settled(factories.point())
    with pytest.raises(IntegrityError), transaction.atomic():
        rounds.bare_settlement(contest)
    settlement = contest.settlements.get()
    for changes in ({"takings_cents": 0}, {"in_force": False}):
        with pytest.raises(DatabaseError), transaction.atomic():
            Settlement.objects.filter(pk=settlement.pk).update(**changes)
    with pytest.raises(DatabaseError), transaction.atomic():
        Prize.objects.filter(settlement=settlement).update(prize_cents=1)


@pytest.mark.article("14.III.8.2")
def test_a_settlement_stays_in_force_once_payment_is_ordered() -> None:
    contest = rounds.ordered(factories.point())
    order = PaymentOrder.objects.get(contest=contest)
    reversal = {
        "in_force": False,
        "reversed_at": order.ordered_at,
        "reversed_by_id": factories.staff().user_id,
    }
    with pytest.raises(DatabaseError, match="payment is ordered"), transaction.atomic():
        Settlement.objects.filter(pk=order.settlement_id).update(**reversal)
    with pytest.raises(DatabaseError), transaction.atomic():
        order.delete()


@pytest.mark.article("14.III.10.2", "14.III.10.7")
def test_no_prize_lapses_before_its_last_day_is_over() -> None:
    """A program could have all prizes of a contest lapse at once, and nobody be paid."""
    contest = rounds.ordered(factories.point())
    last = PaymentOrder.objects.get(contest=contest).last_claim_day

    def lapse(day: date, at: datetime) -> None:
        Lapse.objects.create(
            contest=contest, uuid=uuid.uuid4(), last_claim_day=day, prizes=0, cents=0, lapsed_at=at
        )

    over = datetime.combine(add_days(last, 1), time(), MADRID)
    for day, at in ((last, clock.now()), (last, over), (add_days(last, -40), clock.now())):
        with pytest.raises(IntegrityError, match="can still be claimed"), transaction.atomic():
            lapse(day, at)
    factories.time_to(over)
    for day, at in ((last, over - timedelta(seconds=1)), (add_days(last, -1), over)):
        with pytest.raises(IntegrityError, match="can still be claimed"), transaction.atomic():
            lapse(day, at)
    lapse(last, over)


@pytest.mark.article("14.III.10.7")
def test_a_carry_over_moves_at_least_a_cent() -> None:
    contest = factories.contest()
    with pytest.raises(IntegrityError, match="carry_over_positive"), transaction.atomic():
        CarryOver.objects.create(
            uuid=uuid.uuid4(),
            bet_type_code=contest.bet_type_code,
            day=contest.day,
            contest=contest,
            cents=0,
            carried_at=contest.opened_at,
        )
