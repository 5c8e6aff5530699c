"""Fields as pages show them: money in euros, no secrets."""

import re

import pytest
from django.apps import apps
from django.contrib import admin
from django.db import models
from django.utils.translation import override

from core.admin_support import columns
from core.database.models import SECRET_FIELDS
from core.staff.models import StaffSession, User
from core.staff.powers import Role
from lototrot.models.tickets import Ticket
from tests.support import factories
from tests.support.admin_desk import Desk, RaceDay, list_url, row_url

pytestmark = pytest.mark.django_db
REGISTERED = sorted(admin.site._registry, key=lambda model: model._meta.label)


def test_nothing_secret_can_be_named_as_a_column() -> None:
    for page in admin.site._registry.values():
        names = {getattr(f, "__name__", f) for f in (*page.list_display, *page.readonly_fields)}
        binary = {
            f.name for f in page.model._meta.concrete_fields if isinstance(f, models.BinaryField)
        }
        assert not names & (binary | SECRET_FIELDS)


def test_every_field_of_cents_is_shown_in_euros() -> None:
    """Eight tables call their amount *cents*: 428376 stood there for 4,283.76."""
    amounts = [
        (page.model, field)
        for page in admin.site._registry.values()
        for field in page.model._meta.concrete_fields
        if field.name.endswith("cents") and isinstance(field, models.BigIntegerField)
    ]
    assert any(field.name == "cents" for _, field in amounts)
    with override("en"):
        for model, field in amounts:
            assert columns.show(field, model(**{field.name: 428_376})) == "€4,283.76", model


def test_what_is_counted_has_its_thousands_apart() -> None:
    """An emission of 1000000 tickets was read as one of 100,000."""
    counted = {
        field.name: (model, field)
        for model in apps.get_models()
        for field in model._meta.concrete_fields
        if field.name in columns.COUNTS and isinstance(field, models.IntegerField)
    }
    assert set(counted) == columns.COUNTS
    for language, written in (("ca", "1.234.567"), ("en", "1,234,567")):
        with override(language):
            for model, field in counted.values():
                assert columns.show(field, model(**{field.name: 1_234_567})) == written, model


def test_money_reads_as_euros(day: RaceDay) -> None:
    ticket = Ticket.objects.earliest("pk")
    assert "€1.00" in Desk(Role.AUDITOR).get(row_url(ticket))
    assert "1,00 €" in Desk(Role.AUDITOR, language="ca").get(row_url(ticket))


def test_values_that_are_missing_show_a_dash() -> None:
    assert {columns.money(None), columns.moment(None), columns.day(None), columns.link(None)} == {
        columns.NOTHING
    }


@pytest.mark.parametrize("name", ["password", "token_digest"])
def test_a_secret_field_is_no_column(name: str) -> None:
    model = User if name == "password" else StaffSession
    with pytest.raises(ValueError, match="must not be shown"):
        columns.column(model._meta.get_field(name))


def test_a_row_links_to_its_page_and_its_text_is_escaped() -> None:
    place = factories.premises()
    html = columns.link(place, "<b>Bar</b>")
    assert row_url(place) in html
    assert "&lt;b&gt;Bar&lt;/b&gt;" in html
    listed = columns.listed(type(place), "Bars", q=place.code)
    assert f'href="{list_url(type(place))}?q={place.code}"' in listed


def test_the_days_in_names_have_the_form_of_all_others(day: RaceDay) -> None:
    """Before, a list told of the contest `lototrot 2026-11-23` sold at 23/11/2026."""
    written = f"Lototrot {day.contest.day:%d/%m/%Y}"
    auditor = Desk(Role.AUDITOR, language="ca")
    assert written in auditor.get(list_url(Ticket))
    assert written in auditor.get(list_url(type(day.contest)))
    assert columns.named(Ticket(uuid="2026-11-23-x")) == "2026-11-23-x"


def test_no_link_leads_to_a_page_that_the_person_may_not_see(day: RaceDay) -> None:
    course = factories.races_of(day.contest)[0].racecourse
    for role, row in (
        (Role.CASHIER, course),
        (Role.ORGANISER, day.contest),
        (Role.STEWARDS, day.contest),
        (Role.ADMINISTRATOR, course),
    ):
        desk = Desk(role)
        page = desk.get(row_url(row))
        main = page[page.index('id="main"') :]
        links = set(re.findall(r'href="(/admin/[^"#?]+)', main))
        for url in links:
            assert desk.client.get(url, follow=True).status_code == 200, (role, url)
    person = f'href="{row_url(day.contest.created_by)}"'
    assert person in Desk(Role.AUDITOR).get(row_url(day.contest))
    page = Desk(Role.ORGANISER).get(row_url(day.contest))
    assert person not in page and day.contest.created_by.full_name in page
