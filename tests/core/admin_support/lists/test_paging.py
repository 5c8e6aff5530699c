"""Lists without an end: pages by keys, and totals of what is asked that never count a table."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.admin_support.lists import paging
from core.admin_support.lists.paging import totals_of
from core.ledger.models import Transfer
from core.nights.models import JobRun
from core.premises.models import Premises, Suspension
from core.premises.suspending import sales_resume, sales_suspend
from core.staff.powers import Role
from lototrot.models.tickets import Ticket
from tests.support import factories, rounds
from tests.support.admin_desk import Desk, list_url

pytestmark = pytest.mark.django_db


def _pages(desk: Desk, url: str, query: str) -> tuple[list[list[int]], list[list[int]]]:
    """Return the keys on each page, going on to the end, and going back from there."""
    ways: list[list[list[int]]] = [[], []]
    for way, name in enumerate(("older", "newer")):
        while query is not None:
            answer = desk.client.get(url + query)
            changelist = answer.context["cl"]
            ways[way].append([row.pk for row in changelist.result_list])
            before, query = query, getattr(changelist, name) or None
        query = before
    return ways[0], ways[1]


@pytest.mark.parametrize("order", ["", "?o=5", "?o=-5", "?o=3.-2"])
def test_every_row_is_on_one_page_there_and_back(
    order: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    organiser, point = factories.staff(Role.ORGANISER), factories.point()
    for number in range(7):
        row = sales_suspend(by=organiser, reason=f"{number}", premises=point.premises.code)
        if number % 2:
            sales_resume(by=organiser, suspension=row.pk)
    desk, url = Desk(Role.ORGANISER), list_url(Suspension)
    whole = [row.pk for row in desk.client.get(url + order).context["cl"].result_list]
    monkeypatch.setattr("core.admin_support.readonly.ReadOnlyAdmin.list_per_page", 3)
    there, back = _pages(desk, url, order)
    assert [key for page in there for key in page] == whole and len(there) == 3
    assert [key for page in reversed(back) for key in page] == whole


def test_a_deep_page_reads_no_more_rows_than_the_first() -> None:
    _, newest = rounds.sell(factories.contest(), factories.point(), [(1,) * 7] * 2)
    desk = Desk(Role.AUDITOR)
    with CaptureQueriesContext(connection) as asked:
        desk.get(list_url(Ticket), after=newest.pk)
    (read,) = [q["sql"] for q in asked if "LIMIT 51" in q["sql"]]
    assert "OFFSET" not in read
    answer = desk.client.get(list_url(Ticket), {"after": "x"})
    assert answer.status_code == 302


def test_totals_tell_what_is_asked_and_stop_counting(monkeypatch: pytest.MonkeyPatch) -> None:
    contest, point = factories.contest(), factories.point()
    tickets = rounds.sell(contest, point, [(1,) * 7] * 3)
    desk, url = Desk(Role.AUDITOR, language="ca"), list_url(Ticket)
    code, cents = point.premises.code, sum(ticket.amount_cents for ticket in tickets)
    page = desk.get(url, **{"premises.is": code})
    assert "<strong>3 files</strong>" in page
    assert f"<strong>{cents // 100},{cents % 100:02} €</strong>" in page
    assert "3 files" not in desk.get(url)
    monkeypatch.setattr(paging, "MOST_COUNTED", 2)
    with CaptureQueriesContext(connection) as asked:
        page = desk.get(url, **{"premises.is": code})
    assert "més de 2 files" in page
    (counting,) = [
        q["sql"] for q in asked if "COUNT(" in q["sql"] and "lototrot_ticket" in q["sql"]
    ]
    assert "LIMIT 3)" in counting


def test_what_takes_too_long_to_count_is_shown_without_totals(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slow = Transfer.objects.extra(where=["pg_sleep(1) IS NOT NULL"])
    rounds.sell(factories.contest(), factories.point(), [(1,) * 7])
    monkeypatch.setattr(paging, "TOTALS_LIMIT_S", 0.05)
    assert totals_of(slow) is None
    assert totals_of(Premises.objects.all()) is not None  # the transaction goes on


def test_a_list_without_rows_takes_back_only_what_was_asked() -> None:
    """An empty list of nights, of which nothing was asked, has no filters to remove."""
    desk, url = Desk(Role.ORGANISER), list_url(JobRun)
    nothing = desk.get(url)
    assert "There is nothing to list." in nothing
    assert "List everything" not in nothing
    page = desk.get(url, state__exact="failed")
    assert "Nothing matches what you ask for." in page
    assert 'href="?">List everything' in page
