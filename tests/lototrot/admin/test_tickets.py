"""Find a ticket by its code and show its marks in the admin."""

import pytest
from django.contrib.admin.models import LogEntry

from core.staff.powers import Role
from lototrot.models.tickets import Ticket
from tests.support import factories
from tests.support.admin_desk import (
    Desk,
    row_url,
    sold_with_code,
)

pytestmark = pytest.mark.django_db


def test_a_ticket_is_found_by_the_code_presented() -> None:
    desk, contest, point = Desk(Role.AUDITOR), factories.contest(), factories.point()
    factories.acknowledge(contest, point)
    ticket, code = sold_with_code(contest, point)
    assert desk.offers(Ticket, "find")
    response = desk.do(Ticket, "find", code=code)
    assert response["Location"] == row_url(ticket)
    assert "?" not in response["Location"]
    assert code not in LogEntry.objects.latest("pk").change_message
    assert code not in desk.get(row_url(ticket))
    desk.refused(Ticket, "find", "code_malformed", code="hello")
    assert Desk(Role.STEWARDS).ask(Ticket, "find", code=code).status_code == 404


def test_marks_show_the_horse_they_count_on() -> None:
    contest, point = factories.contest(), factories.point()
    factories.sell(contest, point, [(4,)] * 7)
    for number in (4, 5):
        factories.withdrawal(factories.races_of(contest)[0], number)
    factories.contest_closed(contest)
    assert "4 → 5 → 6" in Desk(Role.AUDITOR).get(row_url(Ticket.objects.get()))
