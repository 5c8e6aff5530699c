"""Cashiers' sessions: float, movements, payments, count."""

import pytest
from django.db import IntegrityError, transaction

from core.payoffice import accounts, refusals
from core.payoffice.services import (
    cash,
    desk,
)
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
    desk.desk_pay(by=who, request=won.request())
    assert given.balance(account) == 60_000 - won.cents
    session = given.session_of(who)
    with pytest.raises(cash.CashSessionUnknown):
        cash.cash_close(by=factories.staff(Role.CASHIER), session=session.uuid, counted_cents=0)
    closed = cash.cash_close(by=who, session=session.uuid, counted_cents=60_000 - won.cents - 150)
    assert closed.difference_cents == -150
    assert (given.balance(account), given.balance(accounts.cash_differences())) == (0, -150)
    with pytest.raises(cash.CashSessionUnknown):
        cash.cash_close(by=who, session=session.uuid, counted_cents=0)
    with pytest.raises(refusals.CashSessionMissing):
        cash.cash_move(by=who, cents=1, reason="x")
    with pytest.raises(IntegrityError, match="done already"), transaction.atomic():
        type(session).objects.filter(pk=session.pk).update(counted_cents=1)
    rounds.books_agree()
