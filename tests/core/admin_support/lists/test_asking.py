"""Ask lists by day, amount, premises and person; rows of a day by their numbers alone."""

from typing import Any

import pytest
from django.contrib import admin
from django.db import models

from core.admin_support.lists import asking
from core.admin_support.lists.asking import Asked
from core.kernel.days import natural_day
from core.staff.powers import Role
from lototrot.models.tickets import Ticket
from tests.support import factories, rounds
from tests.support.admin_desk import Desk, list_url

PAGES: list[Any] = [p for p in admin.site._registry.values() if getattr(p, "asks", ())]


def _listed(page: str, tickets: list[Ticket]) -> list[bool]:
    return [str(ticket.uuid) in page for ticket in tickets]


@pytest.fixture
def sold(db: None) -> list[Ticket]:
    """Sell a ticket today, one tomorrow at other premises, and two of them the day after."""
    contest = factories.contest()
    one, other = factories.point(), factories.point()
    for point, last in ((one, 1), (other, 1), (one, 3)):
        rounds.sell(contest, point, [(1,) * 6 + (last,)])
        factories.time_pass(days=1)
    return list(Ticket.objects.order_by("pk"))


def test_a_list_is_asked_by_day_premises_amount_and_person(sold: list[Ticket]) -> None:
    desk, url = Desk(Role.AUDITOR), list_url(Ticket)
    days = [str(natural_day(ticket.sold_at)) for ticket in sold]
    asked: list[tuple[dict[str, str], list[bool]]] = [
        ({"sold_at.from": days[1]}, [False, True, True]),
        ({"sold_at.to": days[1]}, [True, True, False]),
        ({"sold_at.from": days[1], "sold_at.to": days[1]}, [False, True, False]),
        ({"sold_at.from": "2199-01-01"}, [False] * 3),
        ({"premises.is": sold[1].premises.code}, [False, True, False]),
        ({"premises.is": "nowhere"}, [False] * 3),
        ({"operator.is": sold[0].operator.name}, [True, False, True]),
        (
            {"amount_cents.from": f"{sold[2].amount_cents / 100:.2f}".replace(".", ",")},
            [False] * 2 + [True],
        ),
        ({"amount_cents.to": "0.01"}, [False] * 3),
    ]
    for query, expected in asked:
        assert _listed(desk.get(url, **query), sold) == expected, query


def test_what_cannot_be_asked_is_said_and_lists_nothing(
    sold: list[Ticket], monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, url = Desk(Role.AUDITOR), list_url(Ticket)
    for query in ({"sold_at.from": "soon"}, {"sold_at.to": "9999-12-31"}, {"amount_cents.to": "x"}):
        page = desk.get(url, **query)
        assert 'role="alert"' in page and not any(_listed(page, sold)), query
    monkeypatch.setattr(asking, "MOST_NAMED", 0)
    page = desk.get(url, **{"premises.is": sold[0].premises.code})
    assert "Too many have that name" in page and not any(_listed(page, sold))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.model._meta.label)
def test_each_list_asks_only_about_columns_that_are_shown(page: Any) -> None:
    Asked(page.model, page.asks, {})
    names = {*page.asks, *page.summed} | ({page.numbered_by} - {""})
    assert names <= page.asked_names()
    for name in page.summed:
        assert isinstance(page.model._meta.get_field(name), models.IntegerField)
