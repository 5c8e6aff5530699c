"""Show statements in the admin, with their papers, to those who may read them."""

import re
from datetime import date
from html import unescape
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from core.kernel.days import add_days
from core.ledger import services as ledger
from core.ledger.services import Line, asset, premises_account
from core.staff.models import Proposal
from core.staff.powers import Role
from core.statements import services
from core.statements.models import GuaranteeLimit, Remittance, Statement
from lototrot.models.tickets import Ticket
from tests.support import factories, rounds
from tests.support.admin_desk import Desk, act_url, list_url, row_url
from tests.support.stating import MONDAY, SUNDAY, at

pytestmark = pytest.mark.django_db


def test_a_statement_is_settled_and_its_papers_are_read(organiser: Any, contest: Any) -> None:
    place = factories.point()
    rounds.sell(contest, place, [(1, 1)])
    at(date(2030, 3, 11))
    (statement,) = services.statements_issue(until=SUNDAY)
    services.statement_settle(
        by=organiser,
        statement=statement.uuid,
        amount_cents=105,
        paid_on=SUNDAY,
        reference="TRF",
    )
    assert Remittance.objects.count() == 1

    desk = Desk(Role.ORGANISER)
    row = Statement.objects.get()
    assert "PDF" in desk.get(row_url(row))
    assert not desk.offers(row, "settle")
    for kind, begins in (("pdf", b"%PDF"), ("csv", b"statement,")):
        response = desk.client.get(f"{list_url(Statement)}{row.uuid}.{kind}")
        assert response.content.startswith(begins)
        other = Desk(Role.CASHIER).client.get(f"{list_url(Statement)}{row.uuid}.{kind}")
        assert other.status_code == 404
    assert Ticket.objects.count() == 1


def test_a_statement_and_its_payment_are_found_by_their_uuids(organiser: Any, contest: Any) -> None:
    """Their tables have no index of UUIDs: these hold the week and the premises."""
    rounds.sell(contest, factories.point(), [(1, 1)])
    at(date(2030, 3, 11))
    (statement,) = services.statements_issue(until=SUNDAY)
    paid = services.statement_settle(
        by=organiser, statement=statement.uuid, amount_cents=105, paid_on=SUNDAY, reference="TRF"
    )
    desk = Desk(Role.ORGANISER)
    for row in (statement, paid):
        with CaptureQueriesContext(connection) as asked:
            answer = desk.client.post("/admin/find/", {"q": str(row.uuid)}, follow=True)
        assert row_url(row) in answer.content.decode()
        of_uuid = [e["sql"] for e in asked if f"'{row.uuid.hex}'" in e["sql"]]
        of_table = [sql for sql in of_uuid if f'FROM "{row._meta.db_table}"' in sql]
        assert of_table and all('"week_to" = ' in sql for sql in of_table)
    for ident in (UUID(int=0), UUID(int=2**128 - 1)):
        assert desk.client.post("/admin/find/", {"q": str(ident)}).status_code == 200


@pytest.mark.usefixtures("facts_stay")
def test_the_list_asks_as_much_for_ten_statements_as_for_one() -> None:
    desk = Desk(Role.ORGANISER)

    def asked(week_to: date, places: int) -> int:
        for _ in range(places):
            owed = premises_account(factories.premises().pk)
            ledger.post(reference=uuid4(), lines=[Line("test.prize", owed, asset("treasury"), 105)])
        at(add_days(week_to, 1))
        services.statements_issue(until=week_to)
        desk.sign_on()
        desk.get(list_url(Statement))
        with CaptureQueriesContext(connection) as queries:
            desk.get(list_url(Statement))
        return len(queries)

    at(MONDAY)
    assert asked(SUNDAY, 1) == asked(add_days(SUNDAY, 7), 8)
    assert Statement.objects.count() == 10


def test_premises_are_chosen_by_typing_and_no_list_of_all_is_sent() -> None:
    place, other = factories.premises(), factories.premises()
    desk = Desk(Role.ORGANISER)
    form = desk.get(act_url(GuaranteeLimit, "set"))
    assert place.code not in form and "<select" not in form
    (address,) = re.findall(r'data-typeahead="([^"]+)"', form)
    answer = desk.client.get(f"{unescape(address)}&term={place.code}").json()["results"]
    assert [each["text"] for each in answer] == [f"{place.code} {place.name}"]
    typed = {"limit_cents": "900.00", "minute_cap_cents": "50.00", "reference": "Aval"}
    for wrong in ("", "NOWHERE", f"x{place.code}", place.name):
        page = desk.ask(GuaranteeLimit, "set", **typed, premises=wrong).content.decode()
        assert "house-refusal" not in page and 'name="do"' not in page, wrong
    desk.do(GuaranteeLimit, "set", **typed, premises=answer[0]["text"])
    desk.do(GuaranteeLimit, "set", **typed, premises=other.code.lower())
    waiting = Proposal.objects.filter(kind="statements.guarantee", decision=None)
    subjects = set(waiting.values_list("subject", flat=True))
    assert {f"guarantee:{place.code}", f"guarantee:{other.code}"} == subjects


def test_premises_are_offered_to_those_who_may_read_them_alone() -> None:
    place = factories.premises()
    form = Desk(Role.ORGANISER).get(act_url(GuaranteeLimit, "set"))
    (address,) = re.findall(r'data-typeahead="([^"]+)"', form)
    asked = f"{unescape(address)}&term={place.code}"
    assert Desk(Role.STEWARDS).client.get(asked).status_code == 403
    assert Client().get(asked).status_code in (302, 403)
