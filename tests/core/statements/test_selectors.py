"""Read the present account of premises, and the records of those who may read them."""

from datetime import date
from typing import Any

import pytest

from core.premises.requests import new_uuid
from core.premises.services import PremisesUnknown
from core.staff.actor import PowerMissing
from core.staff.powers import Role
from core.statements import selectors, services
from core.statements.left import StatementUnknown
from tests.support import factories, rounds
from tests.support.stating import SUNDAY, at, rate

pytestmark = pytest.mark.django_db


def test_an_account_goes_on_from_its_last_statement(organiser: Any, contest: Any) -> None:
    place, auditor = factories.point(), factories.staff(Role.AUDITOR)
    code = place.premises.code
    rounds.sell(contest, place, [(1, 1)] * 2)
    begun = selectors.running_account(by=auditor, premises=code)
    assert (begun.since, begun.opening_cents, begun.balance_cents) == (None, 0, 210)
    at(date(2030, 3, 11))
    services.statements_issue(until=SUNDAY)
    account = selectors.terminal_account(terminal=place.actor)
    assert (account.since, account.opening_cents) == (date(2030, 3, 11), 210)
    assert (account.columns["sales"], account.balance_cents) == (0, 210)
    assert (account.limit_cents, account.left_cents) == (10**13, 10**13 - 210)
    statement = selectors.statements(by=auditor, premises=code).get()
    assert account.last_statement == statement
    assert selectors.statement_one(by=auditor, ident=statement.uuid) == statement
    assert not selectors.remittances(by=auditor, statement=statement.uuid).exists()


def test_reading_needs_a_power_and_known_premises(organiser: Any) -> None:
    rate(organiser)
    auditor = factories.staff(Role.AUDITOR)
    assert selectors.commission_rates(by=auditor).get().percent == "6"
    with pytest.raises(PremisesUnknown):
        selectors.running_account(by=auditor, premises="P-NONE")
    with pytest.raises(PremisesUnknown):
        selectors.guarantee_limits(by=auditor, premises="P-NONE")
    with pytest.raises(StatementUnknown):
        selectors.statement_one(by=auditor, ident=new_uuid())
    with pytest.raises(PowerMissing):
        selectors.statements(by=factories.staff(Role.STEWARDS))
