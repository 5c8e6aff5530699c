"""Views are saved, opened, shared and removed on the page of their list."""

from typing import Any

import pytest

from core.reports.models import SavedView
from core.staff.powers import Role
from lototrot.models.tickets import Ticket
from tests.support.admin_desk import Desk, list_url

pytestmark = pytest.mark.django_db
VIEWS = f"{list_url(Ticket)}views/"
ASKED = "sold_at.from=2030-03-01&sold_at.to=2030-03-31"


def _post(desk: Desk, **typed: str) -> Any:
    return desk.client.post(VIEWS, typed)


def test_who_may_not_read_the_list_saves_no_view_of_it() -> None:
    cashier = Desk(Role.CASHIER)
    assert _post(cashier, name="March", query=ASKED).status_code == 403
    assert Desk(Role.AUDITOR).client.get(VIEWS).status_code == 405
    assert not SavedView.objects.exists()


def test_a_view_is_saved_opened_shared_and_removed() -> None:
    desk, colleague = Desk(Role.AUDITOR), Desk(Role.AUDITOR)
    plain = desk.get(list_url(Ticket))
    assert "Save this view" not in plain and "house-views" not in plain
    asked = desk.get(f"{list_url(Ticket)}?{ASKED}")
    assert "Save this view" in asked
    answer = _post(desk, name="March <1>", query=ASKED, role=Role.AUDITOR)
    assert (answer.status_code, answer["Location"]) == (302, f"../?{ASKED}")
    link = f'href="?{ASKED.replace("&", "&amp;")}"'
    for one in (desk, colleague):
        page = one.get(list_url(Ticket))
        assert link in page and "March &lt;1&gt;" in page
    assert desk.person.full_name in colleague.get(list_url(Ticket))
    assert link not in Desk(Role.INSPECTOR).get(list_url(Ticket))
    view = SavedView.objects.get()
    remove = f'name="remove" value="{view.pk}"'
    assert remove in desk.get(f"{list_url(Ticket)}?{ASKED}")
    assert remove not in colleague.get(f"{list_url(Ticket)}?{ASKED}")
    for number in (str(view.pk), "x", "9" * 30):
        _post(colleague, remove=number, query=ASKED)
    assert "it is not yours" in colleague.get(list_url(Ticket))
    _post(desk, remove=str(view.pk), query=ASKED)
    assert link not in desk.get(list_url(Ticket))


def test_a_name_that_is_taken_is_said() -> None:
    desk = Desk(Role.AUDITOR)
    for _ in range(2):
        answer = _post(desk, name="March", query=ASKED)
    page = desk.get(list_url(Ticket) + answer["Location"].removeprefix("../"))
    assert "You have a view of that name" in page
    assert SavedView.objects.count() == 1
