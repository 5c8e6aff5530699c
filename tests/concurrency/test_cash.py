"""A cash session that is closed while it pays, and closed twice at once, by real connections."""

import pytest
from django.db import transaction

from core.database.locks import Lock
from core.ledger.services import AccountCode
from core.payoffice import accounts
from core.payoffice.models import CashSession
from core.payoffice.services import cash, desk
from core.payoffice.services.paying import Paid
from core.staff.models import Proposal
from tests.support import paying
from tests.support.concurrency.sales import apart, eventually, together, waiting_for
from tests.support.databases import Database
from tests.support.payoffice.counting import counted

pytestmark = pytest.mark.article("14.III.10.4")


@pytest.mark.usefixtures("own_database")
def test_a_closing_waits_for_the_payment_in_flight_and_is_counted_again() -> None:
    (won,) = paying.worth(500)
    who = paying.cashier(float_cents=50_000)
    session = paying.session_of(who)
    with transaction.atomic():
        assert isinstance(desk.desk_pay(by=who, request=won.request()), Paid)
        closing = apart(lambda: together(lambda: counted(who, session, 50_000))[0])
        key = (int(Lock.CASH), session.pk)
        eventually(lambda: closing.done() or waiting_for(key) > 0)
        assert not closing.done()
    assert isinstance(closing.result(), cash.CashMovedSince)
    session.refresh_from_db()
    assert session.closed_at is None
    assert paying.cash_closed(who, session, 49_500).difference_cents == 0


def test_two_closings_at_once_close_it_once(own_database: Database) -> None:
    who = paying.cashier(float_cents=50_000)
    session = paying.session_of(who)
    outcomes = together(*[lambda: counted(who, session, 50_000)] * 4)
    assert sum(isinstance(each, CashSession) for each in outcomes) == 1
    others = [each for each in outcomes if not isinstance(each, CashSession)]
    assert {type(each) for each in others} == {cash.CashSessionUnknown}
    assert paying.balance(accounts.cash(session.pk)) == 0


@pytest.mark.usefixtures("own_database")
def test_a_session_closed_before_its_balance_is_read_has_no_difference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    who = paying.cashier(float_cents=50_000)
    session = paying.session_of(who)
    balance_cents = cash.ledger.balance_cents

    def read_after_another_closed(account: AccountCode) -> int:
        monkeypatch.undo()
        (closed,) = together(lambda: counted(who, session, 50_000))
        assert isinstance(closed, CashSession)
        return balance_cents(account)

    monkeypatch.setattr(cash.ledger, "balance_cents", read_after_another_closed)
    with pytest.raises(cash.CashSessionUnknown):
        counted(who, session, 50_000)
    assert not Proposal.objects.filter(kind=cash.DIFFERENCE.name).exists()
