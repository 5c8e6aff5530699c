"""Alarms of the prize office: cash that nobody has received, and counts that differ."""

import pytest

from core.admin_support.columns import money
from core.payoffice.alarms import cash_not_received, counts_that_differ
from core.payoffice.services import cash
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import User
from core.staff.powers import Role
from tests.support import factories
from tests.support import paying as given
from tests.support.payoffice.counting import counted

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


def _name(who: StaffActor) -> str:
    return str(User.objects.get(pk=who.user_id))


def test_a_drawer_is_named_from_the_next_day_on_until_its_cash_is_received() -> None:
    who = given.cashier(float_cents=1_000)
    session = given.session_of(who)
    assert cash_not_received() == []
    factories.time_pass(days=1)
    given.cashier(float_cents=1_000)  # of today
    closing = counted(who, session, 1_000)
    (row,) = cash_not_received()
    assert (row.subject, row.since) == (session, session.opened_at)
    given.confirmed(closing)
    assert cash_not_received() == []


def test_a_count_with_a_difference_is_named_however_it_ends_until_the_drawer_is_closed() -> None:
    """One cent made the count void, and a friend rejected the next: nothing told of the euro."""
    who, counter = given.cashier(float_cents=50_000), factories.staff(Role.SUPERVISOR)
    session, friend = given.session_of(who), factories.staff(Role.CASHIER)
    counted(who, session, 49_900)  # who answers for the drawer may look for it first
    assert counts_that_differ() == []
    counted(counter, session, 49_900)
    (waiting,) = counts_that_differ()
    assert (waiting.subject, _name(friend) in str(waiting.words)) == (session, False)
    for part in (_name(counter), money(49_900), money(50_000)):
        assert part in str(waiting.words)
    cash.cash_move(by=who, cents=1, reason="A cent.")
    again = counted(counter, session, 49_901)
    two_persons.reject(proposal=again.uuid, by=friend, reason="It is whole.")
    (rejected,) = counts_that_differ()
    assert _name(friend) in str(rejected.words)
    given.cash_closed(who, session, 50_001)
    assert counts_that_differ() == []


def test_a_count_that_agrees_and_one_of_a_closed_drawer_are_no_alarm() -> None:
    who, counter = given.cashier(float_cents=50_000), factories.staff(Role.SUPERVISOR)
    session = given.session_of(who)
    two_persons.reject(proposal=counted(counter, session, 50_000).uuid, by=counter)
    assert counts_that_differ() == []
    given.confirmed(counted(counter, session, 49_000))
    assert counts_that_differ() == []
