"""Show public draws in the admin: what waits, how long, and where each paper is."""

import re

import pytest

from core.staff.powers import Role
from tests.support import factories
from tests.support.admin_desk import Desk, row_url
from tests.support.urn import Hall

pytestmark = pytest.mark.django_db


def test_the_first_page_lists_what_is_to_be_drawn_for_those_who_may_read_it(room: Hall) -> None:
    row = row_url(room.draw)
    first = Desk(Role.ORGANISER).get("/admin/")
    assert row in first and "data-seconds-left" in first
    assert row not in Desk(Role.CASHIER).get("/admin/")


def test_a_draw_that_is_late_is_marked_and_has_no_minutes(room: Hall) -> None:
    desk = Desk(Role.ORGANISER)
    page = desk.get(row_url(room.draw))
    assert "data-seconds-left" in page and "Late" not in page
    assert f"/api/v1/draws/{room.draw.uuid}/notice.pdf" in page and "minutes.pdf" not in page
    factories.time_pass(hours=3)
    desk.sign_on()
    page = desk.get(row_url(room.draw))
    assert "Late" in page and "data-seconds-left" not in page


def test_a_draw_is_called_by_its_title_and_not_by_its_subject(room: Hall) -> None:
    page = Desk(Role.ORGANISER).get(row_url(room.draw))
    (title,) = re.findall(r"<title>(.+?)</title>", page, re.DOTALL)
    assert room.draw.title["en"] in title and room.draw.subject not in title
