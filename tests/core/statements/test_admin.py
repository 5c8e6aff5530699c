"""Show statements in the admin, with their papers, to those who may read them."""

from datetime import date
from typing import Any

import pytest

from core.staff.powers import Role
from core.statements import services
from core.statements.models import Remittance, Statement
from lototrot.models.tickets import Ticket
from tests.support import factories, rounds
from tests.support.admin_desk import Desk, list_url, row_url
from tests.support.stating import SUNDAY, at

pytestmark = pytest.mark.django_db


def test_a_statement_is_settled_and_its_papers_are_read(organiser: Any, contest: Any) -> None:
    place = factories.point()
    rounds.sell(contest, place, [(1, 1)])
    at(date(2030, 3, 11))
    (statement,) = services.statements_issue(until=SUNDAY)
    services.statement_settle(
        by=organiser,
        statement=statement.uuid,
        amount_cents=105,
        paid_on=SUNDAY,
        reference="TRF",
    )
    assert Remittance.objects.count() == 1

    desk = Desk(Role.ORGANISER)
    row = Statement.objects.get()
    assert "PDF" in desk.get(row_url(row))
    assert not desk.offers(row, "settle")
    for kind, begins in (("pdf", b"%PDF"), ("csv", b"statement,")):
        response = desk.client.get(f"{list_url(Statement)}{row.uuid}.{kind}")
        assert response.content.startswith(begins)
        other = Desk(Role.CASHIER).client.get(f"{list_url(Statement)}{row.uuid}.{kind}")
        assert other.status_code == 404
    assert Ticket.objects.count() == 1
