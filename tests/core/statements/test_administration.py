"""The figures of running accounts on the first page."""

import pytest

from core.staff.powers import Role
from tests.support import factories
from tests.support.admin_desk import Desk, text_of

pytestmark = pytest.mark.django_db


def test_the_first_page_tells_what_premises_owe() -> None:
    contest = factories.contest()
    factories.sell(contest, factories.point(), [(1,)] * 7)
    page = text_of(Desk(Role.ORGANISER).client.get("/admin/"))
    assert "Owed by premises" in page and "1 premises" in page
    assert "Owed by premises" not in text_of(Desk(Role.ADMINISTRATOR).client.get("/admin/"))
