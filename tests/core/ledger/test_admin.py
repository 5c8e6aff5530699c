"""The pages of the ledger in the admin."""

import uuid

import pytest

from core.ledger import services as ledger
from core.ledger.models import Account, Transfer
from core.staff.powers import Role
from tests.support.admin_desk import Desk, list_url, row_url

pytestmark = pytest.mark.django_db

CASH, POOL = ledger.asset("test:cash"), ledger.liability("test:pool")


def test_the_page_of_an_account_shows_its_balance_and_leads_to_its_transfers() -> None:
    ledger.post(reference=uuid.uuid4(), lines=[ledger.Line("test", CASH, POOL, 123_456)])
    page = Desk(Role.AUDITOR).get(row_url(Account.objects.get(code="test:pool")))
    assert "€1,234.56" in page
    assert f"{list_url(Transfer)}?q=test:pool" in page


def test_transfers_are_found_by_reference_and_by_account() -> None:
    references = uuid.uuid4(), uuid.uuid4()
    for number, reference in enumerate(references):
        account = ledger.asset(f"test:cash:{number}")
        ledger.post(reference=reference, lines=[ledger.Line("test", account, POOL, 1)])
    desk = Desk(Role.AUDITOR)
    for query in (str(references[0]), "test:cash:0"):
        page = desk.get(list_url(Transfer), q=query)
        assert [str(reference) in page for reference in references] == [True, False]
    page = desk.get(list_url(Transfer), q="test:nothing")
    assert not any(str(reference) in page for reference in references)


@pytest.mark.parametrize("role", [Role.STEWARDS, Role.CASHIER, Role.ADMINISTRATOR])
def test_the_books_are_shown_with_a_power(role: Role) -> None:
    for model in (Account, Transfer):
        assert Desk(role).client.get(list_url(model)).status_code == 403
