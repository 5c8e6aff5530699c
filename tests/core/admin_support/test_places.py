"""A place shows its work and its tables; *Records* shows every table that the person may see."""

import pytest

from core.staff.powers import Role
from lototrot.models.tickets import Ticket
from tests.support.admin_desk import Desk, list_url

pytestmark = pytest.mark.django_db


def test_a_table_stands_behind_records_for_those_who_read_it() -> None:
    assert f'href="{list_url(Ticket)}"' in Desk(Role.AUDITOR).get("/admin/records/")
    assert f'href="{list_url(Ticket)}"' not in Desk(Role.CASHIER).get("/admin/records/")


def test_a_place_offers_what_can_be_begun_there_and_an_unknown_one_is_none() -> None:
    desk = Desk(Role.ADMINISTRATOR)
    page = desk.get("/admin/places/settings/")
    assert "/admin/staff/user/create/?back=%2Fadmin%2Fplaces%2Fsettings%2F" in page
    assert "/admin/staff/user/create/" not in Desk(Role.AUDITOR).get("/admin/places/settings/")
    assert desk.client.get("/admin/places/nowhere/").status_code == 404
