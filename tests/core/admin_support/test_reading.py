"""Check who reads what in the administration, and that a list's address asks only what it shows.

Before, `?code_secret__startswith=` told a cashier the secret of a contest's codes byte by byte.
"""

from typing import Any

import pytest
from django.contrib import admin
from django.db import models

from core.admin_support.columns import SECRET
from core.admin_support.readonly import ReadOnlyAdmin
from core.staff import powers
from core.staff.powers import Role
from lototrot.models.contest import Contest
from lototrot.models.settlement import Prize
from lototrot.models.tickets import Ticket
from promotrot.models.emission import Lane
from promotrot.models.voucher import VoucherSecret
from tests.support import factories, rounds
from tests.support.admin_desk import Desk, list_url, row_url

PAGES: list[Any] = [admin.site._registry[model] for model in admin.site._registry]


def _is_secret(field: Any) -> bool:
    return isinstance(field, models.BinaryField) or field.name in SECRET


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


@pytest.mark.django_db
def test_a_cashier_asks_a_list_for_no_secret() -> None:
    contest = factories.contest()
    desk = Desk(Role.CASHIER)
    assert row_url(contest) in desk.get(list_url(Contest), state__exact="open")
    for lookup in ("code_secret__startswith", "created_by__password__startswith", "tickets__bets"):
        assert desk.client.get(list_url(Contest), {lookup: "a"}).status_code == 400, lookup


@pytest.mark.django_db
def test_bets_are_for_those_who_audit_and_their_marks_when_nobody_bets_any_more() -> None:
    contest = factories.contest()
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
