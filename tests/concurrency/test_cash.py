"""A cash session that is closed while it pays, and closed twice at once, by real connections."""

import pytest
from django.db import transaction

from core.database.locks import Lock
from core.ledger.services import AccountCode
from core.payoffice import accounts
from core.payoffice.refusals import CashShort
from core.payoffice.services import cash, desk
from core.payoffice.services.paying import Paid
from core.staff import two_persons
from core.staff.models import Proposal
from tests.support import paying
from tests.support.concurrency.sales import apart, eventually, together, waiting_for
from tests.support.payoffice.counting import counted

pytestmark = pytest.mark.article("14.III.10.4")


@pytest.mark.usefixtures("own_database")
def test_a_closing_waits_for_the_payment_in_flight_and_is_counted_again() -> None:
    (won,) = paying.worth(500)
    who = paying.cashier(float_cents=50_000)
    session = paying.session_of(who)
    proposal = counted(who, session, 50_000)
    with transaction.atomic():
        assert isinstance(desk.desk_pay(by=who, request=won.request()), Paid)
        closing = apart(lambda: together(lambda: paying.confirmed(proposal))[0])
        key = (int(Lock.CASH), session.pk)
        eventually(lambda: closing.done() or waiting_for(key) > 0)
        assert not closing.done()
    assert isinstance(closing.result(), cash.CashMovedSince)
    session.refresh_from_db()
    assert session.closed_at is None
    two_persons.reject(proposal=proposal.uuid, by=who)
    assert paying.cash_closed(who, session, 49_500).difference_cents == 0


@pytest.mark.usefixtures("own_database")
def test_a_taking_waits_for_the_payment_in_flight_and_leaves_no_drawer_below_zero() -> None:
    (won,) = paying.worth(500)
    who = paying.cashier(float_cents=50_000)
    session = paying.session_of(who)
    proposal = cash.cash_move(by=who, cents=-50_000, reason="To the safe.")
    assert isinstance(proposal, Proposal)
    with transaction.atomic():
        assert isinstance(desk.desk_pay(by=who, request=won.request()), Paid)
        taking = apart(lambda: together(lambda: paying.confirmed(proposal))[0])
        key = (int(Lock.CASH), session.pk)
        eventually(lambda: taking.done() or waiting_for(key) > 0)
        assert not taking.done()
    assert isinstance(taking.result(), CashShort)
    assert paying.balance(accounts.cash(session.pk)) == 49_500


@pytest.mark.usefixtures("own_database")
def test_two_counts_at_once_are_one_and_two_receivers_receive_it_once() -> None:
    who = paying.cashier(float_cents=50_000)
    session = paying.session_of(who)
    outcomes = together(*[lambda: counted(who, session, 50_000)] * 4)
    (proposal,) = (each for each in outcomes if isinstance(each, Proposal))
    others = [each for each in outcomes if each is not proposal]
    assert {type(each) for each in others} == {two_persons.ProposalPending}
    received = together(*[lambda: paying.confirmed(proposal)] * 4)
    refused = [each for each in received if each is not None]
    assert [type(each) for each in refused] == [two_persons.ProposalDecided] * 3
    assert paying.balance(accounts.cash(session.pk)) == 0


@pytest.mark.usefixtures("own_database")
def test_a_session_closed_before_its_balance_is_read_is_not_counted_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    who = paying.cashier(float_cents=50_000)
    session = paying.session_of(who)
    proposal = counted(who, session, 50_000)
    balance_cents = cash.ledger.balance_cents

    def read_after_another_closed(account: AccountCode) -> int:
        monkeypatch.undo()
        assert together(lambda: paying.confirmed(proposal)) == [None]
        return balance_cents(account)

    monkeypatch.setattr(cash.ledger, "balance_cents", read_after_another_closed)
    with pytest.raises(cash.CashSessionUnknown):
        counted(who, session, 50_000)
    assert Proposal.objects.filter(kind=cash.CLOSING.name).count() == 1
