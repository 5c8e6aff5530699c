"""Lapse the prizes that were not claimed in time, once (14.III.10.6, 14.III.10.7)."""

from datetime import timedelta

import pytest

from core.ledger import services as ledger
from core.payoffice.models import Claim
from core.staff import two_persons
from lototrot import accounts
from lototrot.engine.races import Race
from lototrot.models.contest import Contest
from lototrot.models.settlement import Lapse, PaymentOrder
from lototrot.services.prizes.lapsing import NotYetOver, claimed, lapse, lapses_due, outs
from lototrot.services.settlement.payment_order import payment_order_propose
from lototrot.services.settlement.settling import contest_settle
from tests.support import factories, rounds

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.10.7")]


@pytest.fixture
def order() -> PaymentOrder:
    """Order the payment of three winning tickets: 144, 48 and 48 cents."""
    factories.time_to(rounds.NOON)
    contest: Contest = rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3, 4)] * 2)
    tickets = [[(1,), (1,)], [(1,), (2,)], [(2,), (1,)], [(3,), (3,)]]
    rounds.sell(contest, factories.point(), [rounds.masks(numbers) for numbers in tickets])
    rounds.run(contest, [Race((1, 2, 3, 4), winners=frozenset({1}))] * 2)
    contest_settle(contest_id=contest.pk)
    first, second = factories.two_organisers()
    proposal = payment_order_propose(by=first, contest_id=contest.pk)
    two_persons.confirm(proposal=proposal.uuid, by=second)
    return PaymentOrder.objects.select_related("contest").get(contest=contest)


def test_nothing_lapses_until_the_last_claim_day_is_over(order: PaymentOrder) -> None:
    last = order.last_claim_day
    assert lapses_due(last) == []
    with pytest.raises(NotYetOver):
        lapse(order.contest_id, last + timedelta(days=1))
    assert [(out.last_claim_day, out.documents, out.cents) for out in outs()] == [(last, 3, 240)]
    assert not Lapse.objects.exists()


def test_unclaimed_prizes_lapse_once_and_wait_to_be_carried_over(order: PaymentOrder) -> None:
    today = rounds.later(40).date()
    assert lapses_due(today) == [str(order.contest_id)]
    lapsed = lapse(order.contest_id, today)
    assert (lapsed.documents, lapsed.cents) == (3, 240)
    carried = accounts.carry_over(order.contest.bet_type_code, order.last_claim_day)
    assert ledger.balance_cents(carried) == 240
    assert ledger.balance_cents(accounts.prizes_payable(order.contest_id)) == 0
    assert lapse(order.contest_id, today).cents == 0
    assert (lapses_due(today), list(outs())) == ([], [])
    (sums,) = claimed()
    assert (sums.state, sums.cents, sums.sent_to) == (Claim.State.LAPSED, 240, carried)
    rounds.books_agree()
