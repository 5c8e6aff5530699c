"""Add the transfers since the last mark to the balances of the mark."""

from typing import Any

import pytest

from core.ledger import services as ledger
from core.ledger.services import asset
from core.statements import balances, nightly
from core.statements.models import Mark, MarkedBalance
from tests.support import factories, rounds
from tests.support.stating import SUNDAY

pytestmark = pytest.mark.django_db


def test_balances_of_now_are_a_mark_and_what_came_since(organiser: Any, contest: Any) -> None:
    place, other = factories.point(), factories.point()
    rounds.sell(contest, place, [(1, 1)] * 2)
    mark, many = balances.mark_make()
    assert many == 1
    assert balances.mark_make()[0] == mark
    rounds.sell(contest, place, [(1, 1)])
    rounds.sell(contest, other, [(1, 1)])
    now = balances.balances_now()
    assert (now[place.premises.pk], now[other.premises.pk]) == (315, 105)
    assert balances.mark_make()[1] == 2
    assert balances.balances_now() == now
    assert balances.mark_differences() == []
    newest = Mark.objects.latest("up_to")
    account = ledger.account_open([asset("premises:999")])["premises:999"]
    MarkedBalance.objects.create(mark=newest, account=account, balance_cents=5)
    with pytest.raises(nightly.AccountsUnsound):
        nightly.audit(SUNDAY)
