"""The side bar: few places for each role, and every table behind *Records*."""

import re

import pytest

from core.admin_support import navigation
from core.admin_support.contents import Place
from core.staff.powers import Role
from lototrot.models.tickets import Ticket
from tests.support.admin_desk import Desk, list_url

pytestmark = pytest.mark.django_db


def _links(role: Role) -> list[str]:
    page = Desk(role).get("/admin/")
    bar = page[page.index('id="nav-sidebar-apps"') : page.index('id="main"')]
    return re.findall(r'<a href="([^"]+)"', bar)


@pytest.mark.parametrize("role", Role)
def test_each_role_has_few_places_and_each_answers(role: Role) -> None:
    links = _links(role)
    assert links[0] == "/admin/"
    assert "/admin/records/" in links
    assert len(links) == len(set(links)) and 4 <= len(links) <= 8
    desk = Desk(role)
    for link in links:
        assert desk.client.get(link, follow=True).status_code == 200, link


def test_the_place_of_a_page_is_marked_in_the_bar() -> None:
    assert navigation.place_of(list_url(Ticket)) is Place.RACE_DAY
    assert navigation.place_of("/admin/places/money/") is Place.MONEY
    assert navigation.place_of("/admin/reports/payments/") is Place.MONEY
    assert navigation.place_of("/admin/") is None
