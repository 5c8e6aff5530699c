"""The search box: what it finds, for whom, and that codes and looks are treated as elsewhere."""

from typing import Any

import pytest
from django.contrib import admin
from django.db.models import Model

from core.admin_support.readonly import ReadOnlyAdmin
from core.database.models import SECRET_FIELDS
from core.ledger.models import Transfer
from core.looks.models import Look
from core.payoffice.models import Payment
from core.premises.models import Premises
from core.staff.powers import Role
from core.statements.models import Statement
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket
from tests.support import factories, paying, rounds
from tests.support.admin_desk import Desk, list_url, row_url

PAGES: list[Any] = [page for page in admin.site._registry.values() if getattr(page, "quick", ())]


def _find(desk: Desk, term: str) -> str:
    """Return the page that the search leads to."""
    response = desk.client.post("/admin/find/", {"q": term}, follow=True)
    assert response.status_code == 200
    return str(response.content.decode())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.model._meta.label)
def test_it_asks_for_nothing_secret(page: Any) -> None:
    for lookup in page.quick:
        assert lookup.split("__")[0] in page.asked_names() - SECRET_FIELDS


@pytest.mark.django_db
def test_a_uuid_finds_its_rows_for_those_who_may_read_them() -> None:
    (ticket,) = rounds.sell(factories.contest(), factories.point(), [(1,) * 7])
    before = Look.objects.count()
    titles = _find(Desk(Role.AUDITOR), f" {ticket.uuid} ")
    assert row_url(ticket) in titles
    assert list_url(Transfer) in titles, "the transfer that the sale made"
    assert Look.objects.count() == before + 1
    assert row_url(ticket) not in _find(Desk(Role.ORGANISER), str(ticket.uuid))


def _begins_with_uuid(model: type[Model]) -> bool:
    """Return whether an index of the table begins with its UUIDs."""
    lists = [
        each.fields
        for each in (*model._meta.indexes, *model._meta.constraints)
        if getattr(each, "fields", ())
    ]
    return model._meta.get_field("uuid").unique or any(names[0] == "uuid" for names in lists)


def test_no_table_is_read_whole_for_a_uuid() -> None:
    """Each search by UUID, or by a ticket's code, asks every table with a UUID."""
    pages = admin.site._registry
    of_uuids = [m for m in pages if "uuid" in {field.name for field in m._meta.concrete_fields}]
    assert {Statement, Ticket} < {*of_uuids}
    without = {model for model in of_uuids if not _begins_with_uuid(model)}
    assert without == {m for m in of_uuids if type(pages[m]).by_uuid is not ReadOnlyAdmin.by_uuid}


@pytest.mark.django_db
def test_one_single_row_is_shown_at_once() -> None:
    place = factories.point().premises
    answer = Desk(Role.ORGANISER).client.post("/admin/find/", {"q": place.code})
    assert answer["Location"] == row_url(place)


@pytest.mark.django_db
def test_people_places_contests_and_tables_are_found_by_name_number_and_day() -> None:
    contest = factories.contest()
    place = factories.point().premises
    desk = Desk(Role.AUDITOR)
    assert row_url(place) in _find(desk, place.code.lower())
    assert row_url(contest) in _find(desk, f"{contest.day:%d/%m/%Y}")
    assert row_url(contest) in _find(desk, contest.day.isoformat())
    assert row_url(desk.person) in _find(desk, desk.person.username)
    assert f'href="{list_url(Payment)}"' in _find(desk, "payments")
    assert row_url(desk.person) not in _find(Desk(Role.CASHIER), desk.person.username)


@pytest.mark.django_db
def test_a_name_that_several_have_is_a_list_and_never_all_of_a_table() -> None:
    for _ in range(10):
        factories.point()
    word = Premises.objects.order_by("pk")[0].name.split()[0]
    page = _find(Desk(Role.ORGANISER), word)
    assert 1 < page.count("/admin/premises/premises/") <= 9


@pytest.mark.django_db
def test_a_ticket_code_is_found_is_on_record_and_stands_in_no_address() -> None:
    (prize,) = paying.worth(232_10)
    ticket = Ticket.objects.latest("pk")
    auditor, cashier = Desk(Role.AUDITOR), Desk(Role.CASHIER)
    answer = auditor.client.post("/admin/find/", {"q": prize.code})
    assert answer.status_code == 200 and "no-store" in answer["Cache-Control"]
    assert row_url(ticket) in answer.content.decode()
    assert Look.objects.filter(kind="document", asked="code").count() == 1
    page = _find(cashier, prize.code)
    assert 'action="/admin/office/"' in page and row_url(ticket) not in page
    desk = cashier.client.post("/admin/office/", {"code": prize.code})
    assert "232.10" in desk.content.decode()
    assert "/admin/office/" not in _find(Desk(Role.STEWARDS), prize.code).split("<main")[1]
    assert (
        cashier.client.get("/admin/find/", {"q": prize.code}).content.decode().count(prize.code)
        == 0
    )


@pytest.mark.django_db
def test_what_is_no_date_and_no_uuid_asks_no_column_of_these() -> None:
    contest = factories.contest()
    desk = Desk(Role.AUDITOR)
    for term in ("99/99/2027", "3", "--", contest.day.strftime("%Y%m%d9")):
        assert row_url(Contest.objects.get()) not in _find(desk, term)


@pytest.mark.django_db
@pytest.mark.parametrize("term", ["a\0b", "%", "9" * 200, "31/02/2027", "٣"])
def test_a_term_that_names_nothing_is_answered_as_any_other(term: str) -> None:
    factories.point()
    assert "Nothing was found" in _find(Desk(Role.AUDITOR), term)
