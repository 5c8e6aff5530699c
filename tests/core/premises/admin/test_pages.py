"""The pages of premises in the admin: what they show, and to whom."""

import uuid

import pytest

from core.kernel.days import add_days
from core.ledger import services as ledger
from core.premises import suspending
from core.premises.models import Premises, Suspension
from core.staff.powers import Role
from core.statements import services
from core.statements.models import Statement
from tests.support import factories, rounds
from tests.support.admin_desk import Desk, act_url, list_url, row_url, text_of
from tests.support.stating import MONDAY, SUNDAY, at, limited

pytestmark = pytest.mark.django_db


def test_the_page_of_premises_shows_their_balance_and_their_parts() -> None:
    point = factories.point()
    ledger.post(
        reference=uuid.uuid4(),
        lines=[
            ledger.Line(
                kind="test",
                debit=ledger.premises_account(point.premises.pk),
                credit=ledger.liability("test:sold"),
                amount_cents=12_345,
            )
        ],
    )
    page = Desk(Role.ORGANISER).get(row_url(point.premises))
    assert "€123.45" in page
    for text in (point.terminal.code, point.operator.name, point.premises.address):
        assert text in page


@pytest.mark.article("14.III.6.1")
def test_the_page_of_premises_tells_its_weeks_its_limit_and_its_suspensions() -> None:
    at(MONDAY)
    contest = rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3)] * 2)
    point, by = factories.point(), factories.staff(Role.ORGANISER)
    limited(by, point.premises.code, 987_600)
    suspending.sales_suspend(by=by, reason="Roof fell in", premises=point.premises.code)
    rounds.sell(contest, point, [(1, 1)] * 7)
    at(add_days(MONDAY, 7), 1)
    services.statements_issue(until=SUNDAY)
    page = Desk(Role.ORGANISER).get(row_url(point.premises))
    for text in ("€7.00", "4 Mar 2030", "10 Mar 2030", "€9,876.00", "Roof fell in"):
        assert text in page, text
    without = Desk(Role.ADMINISTRATOR).get(row_url(point.premises))  # reads no accounts
    assert "Roof fell in" in without and "€9,876.00" not in without
    factories.time_pass(days=200)
    desk = Desk(Role.ORGANISER)
    page = desk.get(row_url(point.premises))
    assert "10 Mar 2030" not in page
    older = f"{list_url(Statement)}?premises__id__exact={point.premises.pk}"
    assert f'href="{older}"' in page, "the older ones are one step away"
    assert "10 Mar 2030" in desk.get(older)
    assert list_url(Statement) not in Desk(Role.ADMINISTRATOR).get(row_url(point.premises))


def test_the_list_of_suspensions_is_filtered_by_state() -> None:
    by, place = factories.staff(Role.ORGANISER), factories.premises()
    lifted = suspending.sales_suspend(by=by, reason="Line down", premises=place.code)
    suspending.sales_resume(by=by, suspension=lifted.pk)
    suspending.sales_suspend(by=by, reason="Storm at sea")
    desk = Desk(Role.ORGANISER)
    reasons = ("Line down", "Storm at sea")
    for query, expected in (({}, (True, True)), ({"standing": "yes"}, (False, True))):
        page = desk.get(list_url(Suspension), **query)
        assert tuple(reason in page for reason in reasons) == expected
    page = desk.get(list_url(Suspension), standing="no")
    assert (place.code in page, "Storm at sea" in page) == (True, False)
    assert "All sales" in desk.get(list_url(Suspension))


def test_the_front_page_lists_suspensions_for_those_who_may_read_them() -> None:
    by = factories.staff(Role.ORGANISER)
    suspending.sales_suspend(by=by, reason="Storm at sea")
    front = {
        role: text_of(Desk(role).client.get("/admin/")) for role in (Role.AUDITOR, Role.CASHIER)
    }
    assert "Storm at sea" in front[Role.AUDITOR]
    assert "Storm at sea" not in front[Role.CASHIER]


def test_premises_are_found_by_code_name_and_municipality() -> None:
    place, other = factories.premises(), factories.premises()
    desk = Desk(Role.ORGANISER)
    page = desk.get(list_url(Premises), q=place.code)
    assert place.code in page
    assert other.code not in page


def test_suspending_stands_at_the_end_of_the_page_and_never_leads_it() -> None:
    place = factories.premises()
    head, end = Desk(Role.ORGANISER).get(row_url(place)).split('<nav class="house-rare"')
    rare = end.split("</nav>")[0]
    for act in ("suspend", "suspend_as_of"):
        assert f'href="{act_url(place, act)}"' in rare
        assert f'href="{act_url(place, act)}"' not in head
    assert f'href="{act_url(place, "terminal")}"' in head
    assert "house-rare" not in Desk(Role.AUDITOR).get(row_url(place))
