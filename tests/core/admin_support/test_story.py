"""The story on a row's page: every step with who, when, before and after; links there and back."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.journal import selectors
from core.payoffice.models import Payment
from core.premises.models import Suspension
from core.premises.suspending import sales_resume, sales_suspend
from core.staff.powers import Role
from lototrot.models.tickets import Ticket
from tests.support import factories, paying
from tests.support.admin_desk import Desk, RaceDay, list_url, row_url, text_of

pytestmark = pytest.mark.django_db


def _story(desk: Desk, row: object) -> str:
    response = desk.client.get(row_url(row))
    page = response.content.decode()
    start = page.index('id="story"')
    response.content = page[page.rindex("<", 0, start) : page.index("</section>", start)].encode()
    return text_of(response)


def test_a_contest_tells_who_prepared_proposed_and_confirmed_it(day: RaceDay) -> None:
    story, desk = _story(Desk(Role.AUDITOR), day.contest), Desk(Role.ORGANISER)
    assert "Proposal: Putting a contest on sale" in story and "Decision: Confirmed" in story
    steps = ["Draft → On sale", "Closed → Settled", "Settled → Payment ordered"]
    places = [story.index(f"State: {step}") for step in steps]
    assert places == sorted(places)
    assert "the system" in story
    assert "command:tests" in story and "command:tests" not in _story(desk, day.contest)


def test_a_ticket_leads_to_its_payment_and_transfers_and_back() -> None:
    (prize,) = paying.worth(20_00)
    ticket = Ticket.objects.latest("pk")
    paying.paid_alone(paying.cashier(), prize.request())
    payment = Payment.objects.get()
    auditor = Desk(Role.AUDITOR)
    assert row_url(payment) in auditor.get(row_url(ticket))
    assert "/admin/ledger/transfer/" in auditor.get(row_url(ticket))
    assert row_url(ticket) in auditor.get(row_url(payment))
    cashier = Desk(Role.CASHIER).get(row_url(payment))
    assert row_url(ticket) not in cashier and "/admin/ledger/transfer/" not in cashier


def test_premises_tell_a_suspension_with_its_end_and_nothing_of_players() -> None:
    organiser = factories.staff(Role.ORGANISER)
    point = factories.point()
    factories.sell(factories.contest(), point, [(1,)] * 7)
    code = point.premises.code
    suspension = sales_suspend(by=organiser, reason="Storm", premises=code)
    sales_resume(by=organiser, suspension=suspension.pk)
    desk = Desk(Role.ORGANISER)
    story = _story(desk, point.premises)
    assert "Suspension" in story and "Lifted at: – →" in story
    assert list_url(Ticket) not in desk.get(row_url(point.premises))


def test_it_says_how_many_it_leaves_out_and_leads_to_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Before, a story was cut at twenty rows of a table in silence."""
    monkeypatch.setattr(selectors, "MOST_OF_A_TABLE", 1)
    organiser, point = factories.staff(Role.ORGANISER), factories.point()
    for number in range(3):
        row = sales_suspend(by=organiser, reason=f"{number}", premises=point.premises.code)
        sales_resume(by=organiser, suspension=row.pk)
    desk = Desk(Role.ORGANISER)
    story = _story(desk, point.premises)
    assert "Suspensions of sales: 2 older ones" in story
    all_of_them = {"premises__id__exact": point.premises.pk}
    assert desk.client.get(list_url(Suspension), all_of_them).status_code == 200
    assert f"{list_url(Suspension)}?premises__id__exact={point.premises.pk}" in desk.get(
        row_url(point.premises)
    )


def test_its_queries_do_not_grow_with_the_rows() -> None:
    point = factories.point()
    contest = factories.contest()
    desk = Desk(Role.ORGANISER)
    counted = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as asked:
            desk.get(row_url(point.premises))
        counted.append(len(asked))
        for _number in range(6):
            factories.sell(contest, point, [(1,)] * 7)
    assert counted[1] <= counted[0] + 2


def test_the_history_of_a_row_is_its_story(day: RaceDay) -> None:
    """Before, the history of a row with no entry told of 20,000 entries."""
    history = row_url(day.contest).replace("/change/", "/history/")
    answer = Desk(Role.ORGANISER).client.get(history)
    assert answer["Location"] == f"{row_url(day.contest)}#story"
    assert Desk(Role.CASHIER).client.get(
        row_url(Ticket.objects.latest("pk")).replace("/change/", "/history/")
    ).status_code in (403, 404)
