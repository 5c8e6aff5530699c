"""Cashiers' sessions: float, movements, payments, count."""

import pytest
from django.db import IntegrityError, transaction

from core.payoffice import accounts, refusals
from core.payoffice.services import cash, desk
from core.staff import two_persons
from core.staff.models import Proposal
from core.staff.powers import Role
from tests.support import factories, rounds
from tests.support import paying as given

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def noon() -> None:
    factories.time_to(rounds.NOON)


def test_a_cash_session_from_the_float_to_the_count() -> None:
    won, _ = given.settled(2, losers=1)
    place = given.office()
    who = given.cashier(place, float_cents=50_000)
    account = accounts.cash(given.session_of(who).pk)
    with pytest.raises(cash.CashSessionOpen):
        cash.cash_open(by=who, premises=place.code, float_cents=1)
    with pytest.raises(cash.NotAnOffice):
        cash.cash_open(
            by=factories.staff(Role.CASHIER), premises=factories.premises().code, float_cents=1
        )
    cash.cash_move(by=who, cents=10_000, reason="More notes.")
    with pytest.raises(refusals.CashShort):
        cash.cash_move(by=who, cents=-60_001, reason="To the safe.")
    given.paid_by_two(who, won.request())
    assert given.balance(account) == 60_000 - won.cents
    session = given.session_of(who)
    with pytest.raises(cash.CashSessionUnknown):
        cash.cash_close(by=factories.staff(Role.CASHIER), session=session.uuid, counted_cents=0)
    closed = given.cash_closed(who, session, 60_000 - won.cents - 150)
    assert closed.difference_cents == -150
    assert (given.balance(account), given.balance(accounts.cash_differences())) == (0, -150)
    with pytest.raises(cash.CashSessionUnknown):
        cash.cash_close(by=who, session=session.uuid, counted_cents=0)
    with pytest.raises(refusals.CashSessionMissing):
        cash.cash_move(by=who, cents=1, reason="x")
    with pytest.raises(IntegrityError, match="done already"), transaction.atomic():
        type(session).objects.filter(pk=session.pk).update(counted_cents=1)
    rounds.books_agree()


def test_a_count_that_differs_takes_two_persons_and_no_payment_meanwhile() -> None:
    (won,) = given.worth(500)
    who = given.cashier(float_cents=50_000)
    session = given.session_of(who)
    proposal = cash.cash_close(by=who, session=session.uuid, counted_cents=49_000)
    assert isinstance(proposal, Proposal)
    session.refresh_from_db()
    assert session.closed_at is None
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=who)
    with pytest.raises(two_persons.ProposalPending):
        cash.cash_close(by=who, session=session.uuid, counted_cents=48_000)
    desk.desk_pay(by=who, request=won.request())
    with pytest.raises(cash.CashMovedSince):
        given.confirmed(proposal)
    two_persons.reject(proposal=proposal.uuid, by=who)
    whole = cash.cash_close(by=who, session=session.uuid, counted_cents=49_500)
    assert not isinstance(whole, Proposal)
    assert (whole.difference_cents, whole.proposal) == (0, None)
    with pytest.raises(cash.CashSessionUnknown):
        cash.cash_close(by=who, session=session.uuid, counted_cents=1)
