"""Cashiers' sessions: float, movements, payments, count."""

import pytest
from django.db import IntegrityError, transaction

from core.payoffice import accounts, refusals
from core.payoffice.counting import count_of
from core.payoffice.services import cash, desk
from core.staff import two_persons
from core.staff.models import Proposal
from core.staff.powers import Role
from tests.support import factories, rounds
from tests.support import paying as given
from tests.support.payoffice.counting import counted

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


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
        counted(factories.staff(Role.CASHIER), session, 0)
    closed = given.cash_closed(who, session, 60_000 - won.cents - 150)
    assert closed.difference_cents == -150
    assert (given.balance(account), given.balance(accounts.cash_differences())) == (0, -150)
    with pytest.raises(cash.CashSessionUnknown):
        counted(who, session, 0)
    with pytest.raises(refusals.CashSessionMissing):
        cash.cash_move(by=who, cents=1, reason="x")
    with pytest.raises(IntegrityError, match="done already"), transaction.atomic():
        type(session).objects.filter(pk=session.pk).update(counted_cents=1)
    rounds.books_agree()


def test_a_count_that_differs_takes_two_persons_and_no_payment_meanwhile() -> None:
    (won,) = given.worth(500)
    who = given.cashier(float_cents=50_000)
    session = given.session_of(who)
    proposal = counted(who, session, 49_000)
    assert isinstance(proposal, Proposal)
    session.refresh_from_db()
    assert session.closed_at is None
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=who)
    with pytest.raises(two_persons.ProposalPending):
        counted(who, session, 48_000)
    desk.desk_pay(by=who, request=won.request())
    with pytest.raises(cash.CashMovedSince):
        given.confirmed(proposal)
    two_persons.reject(proposal=proposal.uuid, by=who)
    whole = counted(who, session, 49_500)
    assert not isinstance(whole, Proposal)
    assert (whole.difference_cents, whole.proposal) == (0, None)
    with pytest.raises(cash.CashSessionUnknown):
        counted(who, session, 1)


def test_a_difference_needs_a_reason_of_the_list_and_words_and_keeps_both() -> None:
    who = given.cashier(float_cents=50_000)
    session = given.session_of(who)
    count = count_of([(200_00, 2), (50_00, 1), (20_00, 2), (1, 5)])
    for reason, words in (("", "Why?"), ("mislaid", "Why?"), ("change", ""), ("change", "  ")):
        with pytest.raises(cash.DifferenceUnexplained):
            cash.cash_close(by=who, session=session.uuid, count=count, reason=reason, words=words)
    proposal = cash.cash_close(
        by=who, session=session.uuid, count=count, reason="change", words=" Ten to a stranger. "
    )
    assert isinstance(proposal, Proposal)
    assert proposal.content["count"] == {"20000": 2, "5000": 1, "2000": 2, "1": 5}
    given.confirmed(proposal)
    session.refresh_from_db()
    assert session.count == proposal.content["count"]
    assert (session.counted_cents, session.difference_cents) == (490_05, -9_95)
    kept = (session.difference_reason, session.difference_words)
    assert kept == ("change", "Ten to a stranger.")


def test_a_count_without_a_difference_keeps_no_reason() -> None:
    who = given.cashier(float_cents=1_000)
    closed = counted(who, given.session_of(who), 1_000)
    assert not isinstance(closed, Proposal)
    assert (closed.difference_reason, closed.difference_words) == ("", "")
    assert closed.count == {"1000": 1}
