"""Lists and pages that show rows: never counted, never changed."""

from typing import Any

import pytest
from django.contrib import admin
from django.db import connection, models
from django.template.response import SimpleTemplateResponse
from django.test.utils import CaptureQueriesContext

from core.admin_support.readonly import ReadOnlyAdmin
from core.admin_support.site import Site
from core.database import clock
from core.database.models import SECRET_FIELDS
from core.kernel.days import add_days, natural_day
from core.ledger.models import Transfer
from core.staff import powers
from core.staff.actor import StaffActor
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.models.settlement import Prize
from lototrot.models.tickets import Ticket
from promotrot.models.emission import Lane
from promotrot.models.voucher import VoucherSecret
from tests.support import factories, rounds
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
    page = desk.get(list_url(Ticket), q=str(first.uuid))
    assert str(first.uuid) in page
    assert str(second.uuid) not in page
    page = desk.get(list_url(Ticket), q=day.point.terminal.code)
    assert str(first.uuid) in page
    assert str(second.uuid) in page


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


PAGES: list[Any] = [admin.site._registry[model] for model in admin.site._registry]


def _is_secret(field: Any) -> bool:
    return isinstance(field, models.BinaryField) or field.name in SECRET_FIELDS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.model._meta.label)
def test_each_table_names_who_reads_it_and_is_asked_only_about_what_it_shows(page: Any) -> None:
    assert isinstance(page, ReadOnlyAdmin)
    assert powers.holders(page.read_power), f"{page.read_power!r} is no power"
    for field in page.model._meta.concrete_fields:
        asked = field.name in page.asked_names() and not _is_secret(field)
        for lookup in (field.name, f"{field.name}__exact"):
            assert page.lookup_allowed(lookup, "1", None) == asked, lookup
        if not asked:
            assert not page.lookup_allowed(f"{field.name}__startswith", "a", None)
        if isinstance(field, models.ForeignKey):
            for further in field.remote_field.model._meta.concrete_fields:
                if not further.primary_key:
                    lookup = f"{field.name}__{further.name}"
                    assert not page.lookup_allowed(f"{lookup}__startswith", "a", None), lookup
    for back in page.model._meta.related_objects:
        assert not page.lookup_allowed(f"{back.name}__id__gt", "1", None), back.name


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.model._meta.label)
def test_a_search_asks_for_no_secret_and_only_about_columns_that_are_shown(page: Any) -> None:
    for searched in page.search_fields:
        name_of = searched.lstrip("=^@").removesuffix("__startswith").removesuffix("__exact")
        names = name_of.split("__")
        model = page.model
        assert names[0] in page.asked_names(), searched
        for name in names:
            field = model._meta.get_field(name)
            assert not _is_secret(field), searched
            model = field.related_model or model


def _later_contest() -> Contest:
    """Return a contest of a day that the shared day of this module leaves free."""
    return factories.contest(factories.meeting(day=add_days(natural_day(clock.now()), 9)))


@pytest.mark.django_db
def test_a_cashier_asks_a_list_for_no_secret() -> None:
    contest = _later_contest()
    desk = Desk(Role.CASHIER)
    assert row_url(contest) in desk.get(list_url(Contest), state__exact="open")
    for lookup in ("code_secret__startswith", "created_by__password__startswith", "tickets__bets"):
        assert desk.client.get(list_url(Contest), {lookup: "a"}).status_code == 400, lookup


@pytest.mark.django_db
def test_bets_are_for_those_who_audit_and_their_marks_when_nobody_bets_any_more() -> None:
    contest = _later_contest()
    (ticket,) = rounds.sell(contest, factories.point(), [(1,) * 7])
    auditor = Desk(Role.AUDITOR)
    for role in (Role.CASHIER, Role.ORGANISER, Role.STEWARDS, Role.ADMINISTRATOR):
        desk = Desk(role)
        for model in (Ticket, Prize, Lane):
            assert desk.client.get(list_url(model)).status_code == 403, (role, model)
        assert desk.client.get(row_url(ticket)).status_code == 403
    assert "house-document" not in auditor.get(row_url(ticket))
    factories.contest_closed(contest)
    assert "house-document" in auditor.get(row_url(ticket))


@pytest.mark.django_db
def test_who_may_not_read_a_table_finds_no_way_to_it() -> None:
    assert Desk(Role.STEWARDS).client.get(list_url(VoucherSecret)).status_code == 403
