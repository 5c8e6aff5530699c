"""Balances, transfers and the trial balance, as they are read."""

import uuid

import pytest

from core.ledger import selectors
from core.ledger import services as ledger
from core.staff.actor import PowerMissing
from core.staff.powers import Role
from tests.support import factories

pytestmark = pytest.mark.django_db

CASH, POOL = ledger.asset("test:cash"), ledger.liability("test:pool")


@pytest.fixture
def reference() -> uuid.UUID:
    act = uuid.uuid4()
    lines = [ledger.Line("test.sale", CASH, POOL, 500), ledger.Line("test.prize", POOL, CASH, 100)]
    ledger.post(reference=act, lines=lines)
    return act


def test_transfers_are_filtered(reference: uuid.UUID) -> None:
    by = factories.staff(Role.AUDITOR)
    ledger.post(reference=uuid.uuid4(), lines=[ledger.Line("test.sale", CASH, POOL, 7)])

    def amounts(**filters: object) -> list[int]:
        rows = selectors.transfers(by=by, **filters).order_by("pk")
        return [row.amount_cents for row in rows]

    assert amounts() == [500, 100, 7]
    assert amounts(reference=reference) == [500, 100]
    assert amounts(account="test:pool", kind="test.sale") == [500, 7]
    with pytest.raises(selectors.AccountUnknown):
        amounts(account="test:nothing")


def test_balances_are_read_by_prefix_and_page(reference: uuid.UUID) -> None:
    by = factories.staff(Role.INSPECTOR)
    page = selectors.account_balances(by=by, prefix="test:", after=None, limit=1)
    assert [(balance.code, balance.cents) for balance in page] == [("test:cash", 400)]
    page = selectors.account_balances(by=by, prefix="test:", after="test:cash", limit=9)
    assert [(balance.code, balance.cents) for balance in page] == [("test:pool", 400)]


def test_the_trial_balance_agrees(reference: uuid.UUID) -> None:
    trial = selectors.trial()
    assert (trial.accounts, trial.transfers) == (2, 2)
    assert (trial.debit_cents, trial.credit_cents, trial.difference_cents) == (400, 400, 0)


@pytest.mark.parametrize("role", [Role.STEWARDS, Role.CASHIER, Role.ADMINISTRATOR])
def test_the_books_are_read_with_a_power(role: Role) -> None:
    by = factories.staff(role)
    for read in (
        lambda: selectors.trial_balance(by=by),
        lambda: selectors.transfers(by=by),
        lambda: selectors.account_balances(by=by, prefix="", after=None, limit=1),
    ):
        with pytest.raises(PowerMissing):
            read()
