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
    for cents, reason in ((0, "Nothing."), (-1, " "), (1, "")):
        with pytest.raises(cash.MovementOfNothing):
            cash.cash_move(by=who, cents=cents, reason=reason)
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
    session.refresh_from_db()
    assert session.closed_at is None
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=proposal.uuid, by=who)
    with pytest.raises(two_persons.ProposalPending):
        counted(who, session, 48_000)
    desk.desk_pay(by=who, request=won.request())
    with pytest.raises(cash.CashMovedSince):
        given.confirmed(proposal)
    whole = given.cash_closed(who, session, 49_500)  # the void count does not stand in its way
    with pytest.raises(two_persons.ProposalDecided):
        given.confirmed(proposal)
    assert whole.difference_cents == 0
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
    assert proposal.content["count"] == {"20000": 2, "5000": 1, "2000": 2, "1": 5}
    given.confirmed(proposal)
    session.refresh_from_db()
    assert session.count == proposal.content["count"]
    assert (session.counted_cents, session.difference_cents) == (490_05, -9_95)
    kept = (session.difference_reason, session.difference_words)
    assert kept == ("change", "Ten to a stranger.")


def test_a_count_without_a_difference_keeps_no_reason() -> None:
    who = given.cashier(float_cents=1_000)
    closed = given.cash_closed(who, given.session_of(who), 1_000)
    assert (closed.difference_reason, closed.difference_words) == ("", "")
    assert closed.count == {"1000": 1}


def test_cash_is_in_the_drawer_until_another_person_receives_it() -> None:
    who = given.cashier(float_cents=50_000)
    session = given.session_of(who)
    drawer, treasury = accounts.cash(session.pk), accounts.treasury()
    before = given.balance(treasury)
    taking = cash.cash_move(by=who, cents=-20_000, reason="To the safe.")
    assert isinstance(taking, Proposal)
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=taking.uuid, by=who)
    with pytest.raises(two_persons.ProposalPending):
        cash.cash_move(by=who, cents=-1, reason="To the safe.")
    assert (given.balance(drawer), given.balance(treasury)) == (50_000, before)
    receiver = factories.staff(Role.CASHIER)
    for _again in range(2):
        two_persons.confirm(proposal=taking.uuid, by=receiver)
        assert (given.balance(drawer), given.balance(treasury)) == (30_000, before + 20_000)
    closing = counted(who, session, 30_000)
    with pytest.raises(two_persons.SamePerson):
        two_persons.confirm(proposal=closing.uuid, by=who)
    assert (given.balance(drawer), given.balance(treasury)) == (30_000, before + 20_000)
    two_persons.confirm(proposal=closing.uuid, by=receiver)
    assert (given.balance(drawer), given.balance(treasury)) == (0, before + 50_000)
    rounds.books_agree()


def test_what_waits_is_taken_only_from_an_open_drawer_that_still_holds_it() -> None:
    (won,) = given.worth(500)
    who = given.cashier(float_cents=50_000)
    session = given.session_of(who)
    late = cash.cash_move(by=who, cents=-50_000, reason="To the safe.")
    assert isinstance(late, Proposal)
    desk.desk_pay(by=who, request=won.request())
    with pytest.raises(refusals.CashShort):
        given.confirmed(late)
    closing = counted(who, session, 49_500)
    two_persons.reject(proposal=late.uuid, by=who)
    rest = cash.cash_move(by=who, cents=-500, reason="To the safe.")
    assert isinstance(rest, Proposal)
    given.confirmed(closing)
    with pytest.raises(refusals.CashSessionMissing):
        given.confirmed(rest)
    assert not session.movements.exists()
    assert given.balance(accounts.cash(session.pk)) == 0


def test_a_count_that_waits_is_void_once_cash_is_taken() -> None:
    who = given.cashier(float_cents=50_000)
    closing = counted(who, given.session_of(who), 50_000)
    given.cash_taken(who, 1_000)
    with pytest.raises(cash.CashMovedSince):
        given.confirmed(closing)


def test_the_cashier_never_receives_what_a_supervisor_counted() -> None:
    who = given.cashier(float_cents=50_000)
    session = given.session_of(who)
    closing = counted(factories.staff(Role.SUPERVISOR), session, 50_000)
    with pytest.raises(cash.CashierCannotReceive):
        two_persons.confirm(proposal=closing.uuid, by=who)
    session.refresh_from_db()
    assert session.closed_at is None
    given.confirmed(closing, Role.CASHIER)
    session.refresh_from_db()
    assert session.closed_at is not None


def test_the_cashier_does_not_reject_what_another_counted() -> None:
    """Each count was rejected, so that no shortage was ever recorded."""
    who, counter = given.cashier(float_cents=50_000), factories.staff(Role.SUPERVISOR)
    session = given.session_of(who)
    counted(who, session, 50_000)  # a false count of the cashier stands before no other
    short = counted(counter, session, 49_000)
    with pytest.raises(cash.CountStands):
        two_persons.reject(proposal=short.uuid, by=who)
    with pytest.raises(two_persons.ProposalPending):
        counted(who, session, 50_000)
    given.confirmed(short, Role.CASHIER)
    session.refresh_from_db()
    assert session.difference_cents == -1_000
    rounds.books_agree()


def test_a_count_of_another_is_rejected_by_anybody_else_and_replaced_once_it_is_void() -> None:
    (won,) = given.worth(500)
    who, counter = given.cashier(float_cents=50_000), factories.staff(Role.SUPERVISOR)
    session = given.session_of(who)
    two_persons.reject(proposal=counted(counter, session, 1).uuid, by=counter)
    two_persons.reject(proposal=counted(counter, session, 1).uuid, by=factories.staff(Role.CASHIER))
    void = counted(counter, session, 50_000)
    desk.desk_pay(by=who, request=won.request())
    own = counted(who, session, 49_500)
    two_persons.reject(proposal=own.uuid, by=who)
    with pytest.raises(two_persons.ProposalDecided):
        given.confirmed(void)
    old = counted(counter, session, 49_500)
    factories.time_pass(days=8)
    two_persons.reject(proposal=old.uuid, by=who)
    assert given.cash_closed(who, session, 49_500).difference_cents == 0


def test_a_sealed_drawer_waits_for_a_week_and_its_cashier_may_go_on_with_it() -> None:
    (won,) = given.worth(500)
    who = given.cashier(float_cents=50_000)
    session = given.session_of(who)
    counted(who, session, 50_000)
    factories.time_pass(days=6)
    closing = two_persons.pending(kind=cash.CLOSING, subject=cash.subject_of(session))
    assert closing is not None
    two_persons.reject(proposal=closing.uuid, by=who)
    desk.desk_pay(by=who, request=won.request())
    sealed = counted(who, session, 49_500)
    factories.time_pass(days=8)
    with pytest.raises(two_persons.ProposalOld):
        given.confirmed(sealed)
    assert given.cash_closed(who, session, 49_500).difference_cents == 0
