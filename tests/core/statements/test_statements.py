"""Premises' running accounts: weeks that follow on each other and agree with the ledger."""

import csv
import io
import uuid
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pypdf
import pytest
from django.db import DatabaseError, transaction

from core.kernel.money import BadPercent
from core.ledger import services as ledger
from core.ledger.services import Line, asset, premises_account
from core.premises.models import Suspension
from core.premises.suspending import SuspensionAutomatic, sales_resume
from core.staff.powers import Role
from core.statements import balances, nightly, papers, services, weeks
from core.statements.guarantee import cover_apply, covers_due
from core.statements.models import Mark, MarkedBalance, Statement
from lototrot import accounts
from lototrot.models.tickets import Ticket, Void
from lototrot.services.tickets.annulment import ticket_annul
from tests.support import factories, rounds
from tests.support.admin_desk import Desk, list_url, row_url, sold_with_code
from tests.support.api import refused, staff_api, terminal_api

pytestmark = pytest.mark.django_db
MONDAY = date(2030, 3, 4)
SUNDAY = date(2030, 3, 10)


def at(day: date, hour: int = 12) -> datetime:
    return factories.time_to(datetime(day.year, day.month, day.day, hour, tzinfo=UTC))


@pytest.fixture
def organiser() -> Any:
    at(MONDAY, 8)
    return factories.staff(Role.ORGANISER)


@pytest.fixture
def contest(organiser: Any) -> Any:
    return rounds.contest(
        rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3)] * 2, price_cents=105, day=SUNDAY
    )


def rate(by: Any, percent: str = "6", since: date = MONDAY, **more: Any) -> Any:
    return services.commission_rate_record(
        by=by,
        game="lototrot",
        premises=more.pop("premises", None),
        percent=percent,
        in_force_from=since,
        reference="Contract",
    )


def test_a_week_is_stated_with_its_commission_and_agrees_with_the_ledger(
    organiser: Any, contest: Any
) -> None:
    rate(organiser)
    rate(organiser, "10", since=date(2030, 3, 6))
    place, other, idle = factories.point(), factories.point(), factories.point()
    rounds.sell(contest, place, [(1, 1)] * 3)  # 3.15 on Monday at 6 %
    rounds.sell(contest, other, [(1, 1)])
    at(date(2030, 3, 7))
    rounds.sell(contest, place, [(3, 1)])  # 2.10 on Thursday at 10 %
    paid = Line(
        "test.prize", accounts.reserve("lototrot"), premises_account(place.premises.pk), 120
    )
    ledger.post(reference=uuid.uuid4(), lines=[paid])
    at(date(2030, 3, 11), 0)
    made = {each.premises_id: each for each in services.statements_issue(until=SUNDAY)}
    assert idle.premises.pk not in made
    mine = made[place.premises.pk]
    # 6 % of 3.15 is 18.9 cents, 10 % of 2.10 is 21: each rounded down once
    assert (mine.sales_cents, mine.commission_cents, mine.other_cents) == (525, -39, -120)
    assert (mine.number, mine.opening_cents, mine.closing_cents) == (1, 0, 366)
    assert [(r["percent"], r["base_cents"], r["commission_cents"]) for r in mine.commission] == [
        ("10", 210, 21),
        ("6", 315, 18),
    ]
    assert ledger.balance_cents(premises_account(place.premises.pk)) == 366
    assert ledger.balance_cents(accounts.organiser(accounts.Part.COMMISSION)) == -39 - 6
    assert services.statements_issue(until=SUNDAY) == []

    at(date(2030, 3, 12))
    rounds.sell(contest, place, [(1, 1)])
    at(date(2030, 3, 25))
    two = services.statements_issue(until=date(2030, 3, 24))
    mine = [each for each in two if each.premises_id == place.premises.pk]
    assert [(e.number, e.opening_cents, e.closing_cents) for e in mine] == [
        (2, 366, 366 + 105 - 10),
        (3, 461, 461),
    ]
    assert nightly.audit(SUNDAY).counts == {"statements": 6}
    rounds.books_agree(
        known={"lototrot:lototrot:reserve": -120, f"premises:{place.premises.pk}": -120}
    )


def test_annulled_and_voided_sales_earn_nothing(organiser: Any) -> None:
    rate(organiser, "10")
    contest = factories.contest(correction_window_s=600, price_cents=200)
    place = factories.point()
    error, code = sold_with_code(contest, place)
    sold_with_code(contest, place)
    late, _code = sold_with_code(contest, place)
    ticket_annul(by=place.actor, ident=error.uuid, presented_code=code, reason="wrong")
    factories.contest_closed(contest)
    breach = factories.proposal("lototrot.breach_void")
    now = factories.time_pass(minutes=1)
    Void.objects.create(ticket=late, reason="breach", note="late", voided_at=now, proposal=breach)
    sunday = weeks.natural_day(now)
    sunday += timedelta(days=7 - sunday.isoweekday())
    at(sunday + timedelta(days=1))
    (mine,) = services.statements_issue(until=sunday)
    assert (mine.sales_cents, mine.annulments_cents) == (600, -200)
    assert [(row["base_cents"], row["commission_cents"]) for row in mine.commission] == [(200, 20)]
    assert mine.closing_cents == 380


def test_a_statement_cannot_be_out_of_line(organiser: Any, contest: Any) -> None:
    place = factories.point()
    rounds.sell(contest, place, [(1, 1)])
    at(date(2030, 3, 11))
    (made,) = services.statements_issue(until=SUNDAY)
    good = {
        "uuid": uuid.uuid4(),
        "premises": place.premises,
        "number": 2,
        "week_from": date(2030, 3, 11),
        "week_to": date(2030, 3, 17),
        "opening_cents": 105,
        "sales_cents": 0,
        "annulments_cents": 0,
        "prizes_cents": 0,
        "commission_cents": 0,
        "settled_cents": 0,
        "other_cents": 0,
        "closing_cents": 105,
        "lines": [],
        "commission": [],
        "issued_at": made.issued_at,
    }
    for wrong in (
        {"number": 3},
        {"week_from": date(2030, 3, 18), "week_to": date(2030, 3, 24)},
        {"opening_cents": 0, "closing_cents": 0},
        {"closing_cents": 106},
        {"week_to": date(2030, 3, 18)},
        {"week_from": date(2030, 3, 12), "week_to": date(2030, 3, 18)},
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            Statement.objects.create(**{**good, **wrong})
    with pytest.raises(DatabaseError), transaction.atomic():
        Statement.objects.filter(pk=made.pk).update(sales_cents=0)
    Statement.objects.create(**good)


def test_rates_are_dated_and_never_behind_a_statement(organiser: Any, contest: Any) -> None:
    place = factories.point()
    rate(organiser, "5")
    rate(organiser, "7.5", premises=place.premises.code)
    with pytest.raises(services.RateRecorded):
        rate(organiser, "6")
    with pytest.raises(BadPercent):
        rate(organiser, "101")
    rounds.sell(contest, place, [(1, 1)])
    at(date(2030, 3, 11))
    (mine,) = services.statements_issue(until=SUNDAY)
    assert mine.commission_cents == -7
    with pytest.raises(services.RateTooLate):
        rate(organiser, "8", since=SUNDAY)
    rate(organiser, "8", since=date(2030, 3, 11))


def test_it_is_settled_once_and_not_beyond_what_it_says(organiser: Any, contest: Any) -> None:
    place = factories.point()
    rounds.sell(contest, place, [(1, 1)] * 2)
    at(date(2030, 3, 11))
    (mine,) = services.statements_issue(until=SUNDAY)

    def settle(cents: int, reference: str = "TRF 1", on: date = SUNDAY) -> Any:
        return services.statement_settle(
            by=organiser, statement=mine.uuid, amount_cents=cents, paid_on=on, reference=reference
        )

    first = settle(200)
    assert settle(200) == first
    with pytest.raises(services.RemittanceRecorded):
        settle(10)
    for cents, on in ((11, SUNDAY), (-1, SUNDAY), (0, SUNDAY), (10, date(2030, 3, 12))):
        with pytest.raises(services.RemittanceRefused):
            settle(cents, "TRF 2", on)
    settle(10, "TRF 2")
    assert services.outstanding_cents(mine) == 0
    assert ledger.balance_cents(premises_account(place.premises.pk)) == 0
    assert ledger.balance_cents(asset("treasury")) == 210
    rounds.books_agree()


def test_a_statement_as_paper_and_as_figures(organiser: Any, contest: Any) -> None:
    rate(organiser)
    place = factories.point()
    rounds.sell(contest, place, [(1, 1)] * 1000)
    at(date(2030, 3, 11))
    (mine,) = services.statements_issue(until=SUNDAY)
    for language, amount in (("ca", "1.050,00 €"), ("es", "1.050,00 €"), ("en", "€1,050.00")):
        content = papers.statement_pdf(mine, language=language)
        assert content == papers.statement_pdf(mine, language=language)
        text = "".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(content)).pages)
        assert f"{place.premises.code}-0001" in text
        assert amount in text
    rows = list(csv.DictReader(io.StringIO(papers.statement_csv(mine))))
    *parts, closing = [int(row["cents"]) for row in rows]
    assert [row["line"] for row in rows] == ["opening", "sales", "commission", "closing"]
    assert closing == sum(parts) == mine.closing_cents == 105_000 - 6_300


# --- Marks and guarantees -------------------------------------------------------------------------


def test_balances_of_now_are_a_mark_and_what_came_since(organiser: Any, contest: Any) -> None:
    place, other = factories.point(), factories.point()
    rounds.sell(contest, place, [(1, 1)] * 2)
    mark, many = balances.mark_make()
    assert many == 1
    assert balances.mark_make()[0] == mark
    rounds.sell(contest, place, [(1, 1)])
    rounds.sell(contest, other, [(1, 1)])
    now = balances.balances_now()
    assert (now[place.premises.pk], now[other.premises.pk]) == (315, 105)
    assert balances.mark_make()[1] == 2
    assert balances.balances_now() == now
    assert balances.mark_differences() == []
    newest = Mark.objects.latest("up_to")
    account = ledger.account_open([asset("premises:999")])["premises:999"]
    MarkedBalance.objects.create(mark=newest, account=account, balance_cents=5)
    with pytest.raises(nightly.AccountsUnsound):
        nightly.audit(SUNDAY)


def test_premises_stop_selling_beyond_their_guarantee_and_resume_below(
    organiser: Any, contest: Any
) -> None:
    place = factories.point()

    def limit(cents: int) -> None:
        services.guarantee_limit_set(
            by=organiser, premises=place.premises.code, limit_cents=cents, reference="Aval"
        )

    def outcome() -> str:
        return factories.sell(contest, place, [(1,), (1,)]).outcome

    limit(105)
    assert outcome() == "sold"
    assert covers_due() == []
    assert outcome() == "sold"
    assert covers_due() == [place.premises.pk]
    assert cover_apply(premises_id=place.premises.pk)
    assert not cover_apply(premises_id=place.premises.pk)
    assert outcome() == "sales_suspended"
    suspension = Suspension.objects.get()
    with pytest.raises(SuspensionAutomatic):
        sales_resume(by=organiser, suspension=suspension.pk)
    paid = Line("test", asset("treasury"), premises_account(place.premises.pk), 105)
    ledger.post(reference=uuid.uuid4(), lines=[paid])
    assert covers_due() == [place.premises.pk]
    assert cover_apply(premises_id=place.premises.pk)
    assert outcome() == "sold"
    limit(1)
    assert covers_due() == [place.premises.pk]
    services.guarantee_limit_set(
        by=organiser,
        premises=place.premises.code,
        limit_cents=1_000,
        reference="Aval",
        in_force_from=factories.clock.now() + timedelta(days=1),
    )
    assert covers_due() == [place.premises.pk]
    factories.time_pass(days=2)
    assert covers_due() == []


# --- API and admin --------------------------------------------------------------------------------


def test_through_the_api_and_in_the_admin(organiser: Any, contest: Any) -> None:
    api, auditor = staff_api(Role.ORGANISER), staff_api(Role.AUDITOR)
    key = {"Idempotency_Key": "rate-0001"}
    body = {
        "game": "lototrot",
        "premises": None,
        "percent": "6",
        "in_force_from": "2030-03-04",
        "reference": "C",
    }
    assert api.post("commission-rates", body, **key).status_code == 201
    refused(
        auditor.post("commission-rates", body, Idempotency_Key="rate-0002"), 403, "power_missing"
    )
    assert auditor.get("commission-rates").json()["items"][0]["percent"] == "6"
    place = factories.point()
    code = place.premises.code
    limit = {"limit_cents": 50, "reference": "Aval"}
    assert (
        api.post(f"premises/{code}/guarantee-limits", limit, Idempotency_Key="limit-001").json()[
            "limit_cents"
        ]
        == 50
    )
    rounds.sell(contest, place, [(1, 1)])
    cover_apply(premises_id=place.premises.pk)
    account = auditor.get(f"premises/{code}/account").json()
    assert (account["balance_cents"], account["columns"]["sales"]) == (105, 105)
    assert (account["limit_cents"], account["suspended"]) == (50, True)
    assert terminal_api(place).get("terminal/account").json() == account
    assert api.get("suspensions").json()["items"][0]["cause"] == "guarantee"
    at(date(2030, 3, 11))
    services.statements_issue(until=SUNDAY)
    api, auditor = staff_api(Role.ORGANISER), staff_api(Role.AUDITOR)
    (item,) = auditor.get("statements", premises=code).json()["items"]
    one = f"statements/{item['uuid']}"
    assert auditor.get(one).json()["commission"][0]["commission_cents"] == 6
    assert auditor.get(f"{one}.pdf", lang="en").content.startswith(b"%PDF")
    assert b"closing" in auditor.get(f"{one}.csv").content
    paid = {"amount_cents": 99, "paid_on": "2030-03-11", "reference": "TRF"}
    assert api.post(f"{one}/remittances", paid, Idempotency_Key="paid-0001").status_code == 201
    assert auditor.get(f"{one}/remittances").json()["items"][0]["amount_cents"] == 99
    refused(auditor.get(f"statements/{uuid.uuid4()}"), 404, "statement_unknown")

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
