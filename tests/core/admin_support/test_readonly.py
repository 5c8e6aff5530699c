"""Lists and pages that show rows: never counted, never changed."""

import pytest
from django.contrib import admin
from django.db import connection, models
from django.template.response import SimpleTemplateResponse
from django.test.utils import CaptureQueriesContext

from core.admin_support.site import Site
from core.ledger.models import Transfer
from core.staff.actor import StaffActor
from core.staff.powers import Role
from lototrot.models.tickets import Ticket
from tests.support.admin_desk import Desk, RaceDay, list_url, row_url

pytestmark = pytest.mark.django_db
PARTS = 3  # so that several workers share the pages
REGISTERED = sorted(admin.site._registry, key=lambda model: model._meta.label)


@pytest.fixture
def day(shared_day: RaceDay) -> RaceDay:
    """Return one day for all tests here, which only look."""
    return shared_day


@pytest.mark.parametrize("model", [Ticket, Transfer])
def test_large_lists_are_never_counted(day: RaceDay, model: type[models.Model]) -> None:
    desk = Desk(Role.AUDITOR)
    for query in ({}, {"q": "nothing"}, {"all": ""}):
        with CaptureQueriesContext(
            connection,
        ) as asked:
            desk.get(list_url(model), **query)
        table = model._meta.db_table
        of_table = [q["sql"] for q in asked if f'FROM "{table}"' in q["sql"]]
        assert of_table and all("LIMIT" in sql for sql in of_table)


def test_tickets_are_found_by_uuid_and_by_terminal(day: RaceDay) -> None:
    desk = Desk(Role.AUDITOR)
    first, second = Ticket.objects.filter(terminal=day.point.terminal).order_by("pk")
    found = desk.get(list_url(Ticket), q=str(first.uuid))
    assert str(first.uuid) in found
    assert str(second.uuid) not in found
    found = desk.get(list_url(Ticket), q=day.point.terminal.code)
    assert str(first.uuid) in found
    assert str(second.uuid) in found


@pytest.mark.parametrize("part", range(PARTS))
def test_nothing_is_added_changed_or_deleted_by_form(
    day: RaceDay, part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is rendered, which takes longest: `test_admin_pages` looks at the pages."""
    monkeypatch.setattr(StaffActor, "may", lambda self, act: True)
    monkeypatch.setattr(SimpleTemplateResponse, "rendered_content", "")
    monkeypatch.setattr(Site, "each_context", lambda self, request: {})
    desk = Desk(Role.ORGANISER)
    for model in REGISTERED[part::PARTS]:
        assert desk.client.get(f"{list_url(model)}add/").status_code == 403
        row = model._default_manager.order_by("pk").first()
        if row is None:
            continue
        assert desk.client.post(row_url(row), {"name": "x"}).status_code == 403
        assert desk.client.post(f"{list_url(model)}{row.pk}/delete/").status_code == 403
        action = {"action": "delete_selected", "_selected_action": [row.pk]}
        desk.client.post(list_url(model), action)
        assert model._default_manager.filter(pk=row.pk).exists()
