"""The view of entries, from which every balance is summed."""

import uuid

import pytest
from django.db import connection

from core.ledger import services as ledger

pytestmark = pytest.mark.django_db

CASH, OWED = ledger.asset("test:cash"), ledger.liability("test:owed")


def _entries() -> list[tuple[str, int]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT a.code, e.cents FROM ledger_entry e JOIN ledger_account a"
            " ON a.id = e.account_id WHERE starts_with(a.code, 'test:') ORDER BY e.transfer_id, 1"
        )
        return [(code, int(cents)) for code, cents in cursor.fetchall()]


def test_a_transfer_is_two_entries_that_sum_to_nothing() -> None:
    ledger.post(reference=uuid.uuid4(), lines=[ledger.Line("test", CASH, OWED, 7)])
    ledger.post(reference=uuid.uuid4(), lines=[ledger.Line("test", OWED, CASH, 2)])
    assert _entries() == [
        ("test:cash", 7),
        ("test:owed", -7),
        ("test:cash", -2),
        ("test:owed", 2),
    ]
    assert (ledger.balance_cents(CASH), ledger.balance_cents(OWED)) == (5, 5)


def test_balances_page_by_page_are_those_of_all_at_once() -> None:
    ledger.post(reference=uuid.uuid4(), lines=[ledger.Line("test", CASH, OWED, 7)])
    whole = ledger.balances()
    assert [b for b in whole if b.code.startswith("test:")] == ledger.balances(prefix="test:")
    first = ledger.balances(limit=1)
    assert first + ledger.balances(after=first[0].code) == whole
    assert ledger.balances(prefix="test:", after="test:cash", limit=5) == [whole[-1]]
