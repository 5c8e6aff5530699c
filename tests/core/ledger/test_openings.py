"""Openings sum transfers up to one; balances of an instant sum what was before it."""

import datetime
import uuid
from datetime import timedelta

import pytest
from django.db import DatabaseError, connection, transaction

from core.database import clock
from core.kernel.canonical import canonical_sha256
from core.ledger import openings
from core.ledger import services as ledger
from core.ledger.models import Account, Transfer
from core.ledger.openings import Sums
from tests.core.ledger.conftest import opening_of, transfer_at

pytestmark = pytest.mark.django_db

CASH, OWED = ledger.asset("test:cash"), ledger.liability("test:owed")


@pytest.fixture
def noon() -> datetime.datetime:
    ledger.post(reference=uuid.uuid4(), lines=[ledger.Line("test", CASH, OWED, 7)])
    return clock.now() + timedelta(hours=2)


def test_what_transfers_add_is_summed_by_side_and_published_by_its_digest(
    noon: datetime.datetime,
) -> None:
    first = Transfer.objects.get().pk
    last = transfer_at(noon, OWED, CASH, 2)
    both = openings.moved(0, last)
    assert both == {"test:cash": Sums(7, 2, 2), "test:owed": Sums(2, 7, 2)}
    assert openings.moved(first, last) == {"test:cash": Sums(0, 2, 1), "test:owed": Sums(2, 0, 1)}
    assert openings.moved(last, last) == {}
    rows = [["test:cash", 7, 2, 2], ["test:owed", 2, 7, 2]]
    assert openings.document(0, last, both) == {
        "first_row": 1,
        "last_row": last,
        "accounts": 2,
        "sha256": canonical_sha256(rows).hex(),
    }


def test_balances_of_an_instant_have_every_transfer_of_before_it(noon: datetime.datetime) -> None:
    transfer_at(noon, CASH, OWED, 1)
    transfer_at(noon - timedelta(hours=1), OWED, CASH, 2)
    for at, cents in ((noon, 5), (noon + timedelta(seconds=1), 6), (noon - timedelta(days=1), 0)):
        held = {code: cents for _, code, _, cents in openings.balances_before(at)}
        assert (held["test:cash"], held["test:owed"]) == (cents, -cents)
        page = openings.page_before(at, prefix="test:", after=None, limit=9)
        assert {code: debit - credit for code, _, debit, credit in page} == held
        assert openings.page_before(at, prefix="test:", after="test:cash", limit=9) == page[1:]


def test_an_opening_without_the_retirement_of_a_month_is_refused(noon: datetime.datetime) -> None:
    up_to = Transfer.objects.get().pk
    with pytest.raises(DatabaseError, match="no month is retired"), transaction.atomic():
        openings.opening_make(after=0, up_to=up_to, ends_at=noon)
    with pytest.raises(DatabaseError, match="no month is retired"), transaction.atomic():
        opening_of(Account.objects.get(code="test:cash"), up_to, noon, debit_cents=1_000_000)
    assert openings.newest() == 0
    assert ledger.balance_cents(CASH) == 7


def test_no_function_joins_what_stands_with_an_account() -> None:
    """Such a join would read the entries of all accounts for the balance of one."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT proname, prosrc ~ 'JOIN\\s+ledger_standing' FROM pg_proc"
            " WHERE prosrc LIKE '%ledger_standing%' ORDER BY 1"
        )
        assert cursor.fetchall() == [
            ("payoffice_guard_count_stands", False),
            ("payoffice_pay", False),
            ("promotrot_check_closing", False),
        ]
