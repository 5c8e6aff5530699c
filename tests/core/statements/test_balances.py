"""Add the transfers since the last mark to the balances of the mark."""

from typing import Any

import pytest

from core.database import clock
from core.ledger.models import Account, Transfer
from core.statements import balances, nightly
from core.statements.models import Mark, MarkedBalance
from tests.support import factories, rounds
from tests.support.stating import SUNDAY, debts_now

pytestmark = pytest.mark.django_db


def test_balances_of_now_are_a_mark_and_what_came_since(organiser: Any, contest: Any) -> None:
    place, other = factories.point(), factories.point()
    rounds.sell(contest, place, [(1, 1)] * 2)
    mark, many = balances.mark_make()
    assert many == 1
    assert balances.mark_make()[0] == mark
    rounds.sell(contest, place, [(1, 1)])
    rounds.sell(contest, other, [(1, 1)])
    now = debts_now()
    assert (now[place.premises.pk], now[other.premises.pk]) == (315, 105)
    assert balances.mark_make()[1] == 2
    assert debts_now() == now
    assert balances.mark_differences() == []
    newest = Mark.objects.latest("up_to")
    far = 1_000_000
    stray = far * MarkedBalance.ACCOUNTS_OF_PART
    MarkedBalance.objects.create(mark=newest, part=far, debts_cents={f"{stray}": 5})
    assert balances.mark_differences() == [{"premises": 0, "marked_cents": 5, "ledger_cents": 0}]
    with pytest.raises(nightly.AccountsUnsound):
        nightly.audit(SUNDAY)


def test_a_debt_in_the_part_of_other_accounts_does_not_count(organiser: Any, contest: Any) -> None:
    place = factories.point()
    rounds.sell(contest, place, [(1, 1)])
    mark = Mark.objects.create(up_to=Transfer.objects.latest("pk").pk, made_at=clock.now())
    account = Account.objects.get(code=f"premises:{place.premises.pk}").pk
    part = account // MarkedBalance.ACCOUNTS_OF_PART
    MarkedBalance.objects.create(mark=mark, part=part + 1, debts_cents={f"{account}": 105})
    assert [each["marked_cents"] for each in balances.mark_differences()] == [0]
    assert debts_now({account: place.premises.pk}) == {place.premises.pk: 0}
    MarkedBalance.objects.create(mark=mark, part=part, debts_cents={f"{account}": 105})
    assert balances.mark_differences() == []
    assert debts_now({account: place.premises.pk}) == {place.premises.pk: 105}
