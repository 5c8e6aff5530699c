"""Alarms of the prize office: cash that nobody has received."""

import pytest

from core.payoffice.alarms import cash_not_received
from tests.support import factories
from tests.support import paying as given
from tests.support.payoffice.counting import counted

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


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
