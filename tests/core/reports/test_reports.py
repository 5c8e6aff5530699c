"""Reports: the figures are those of the tickets and the ledger, in every form."""

import csv
import io
import re
from datetime import date, timedelta
from typing import Any
from xml.etree import ElementTree

import openpyxl
import pytest

from core.ledger import services as ledger
from core.reports import charts, outputs, selectors, tables
from core.reports.tables import (
    Column,
    Kind,
    Period,
    PeriodRefused,
    Picture,
    Report,
    ReportUnknown,
)
from core.staff.powers import Role
from lototrot import accounts
from lototrot.engine.races import Race
from lototrot.services.settlement.settling import contest_settle
from tests.support import factories, rounds
from tests.support.admin_desk import Desk, text_of
from tests.support.api import refused, staff_api

pytestmark = pytest.mark.django_db
RULES = rounds.rules(**rounds.TWO_LEGS)
FACTS = [Race((1, 2, 3), winners=frozenset({1}))] * 2


class Season:
    """Two meetings, settled: nobody won anything in the first."""

    def __init__(self) -> None:
        factories.time_to(rounds.NOON)
        self.points = [factories.point(), factories.point()]
        self.contests = []
        for meeting in (1, 2):
            contest = rounds.contest(RULES, [(1, 2, 3)] * 2, day=self.today())
            second = 2 if meeting == 1 else 1
            rounds.sell(contest, self.points[0], [(2, second)] * 3)
            rounds.sell(contest, self.points[1], [(2, 6), (6, 6)])
            if meeting == 2:
                rounds.sell(contest, self.points[0], [(1, 1)])
            rounds.run(contest, FACTS)
            contest_settle(contest_id=contest.pk)
            contest.refresh_from_db()
            type(contest).objects.filter(pk=contest.pk).update(state="ordered")
            self.contests.append(contest)
            rounds.later(1)

    @staticmethod
    def today() -> date:
        return factories.clock.now().date()


@pytest.fixture
def season() -> Season:
    return Season()


@pytest.fixture
def by() -> Any:
    return factories.staff(Role.AUDITOR)


def rows(by: Any, name: str, season: Season) -> list[dict[str, Any]]:
    first = season.contests[0].day
    table = selectors.report(by=by, name=name, first=first, last=first + timedelta(days=5))
    return outputs.as_document(table)["rows"]


def test_sales_by_day_premises_terminal_and_game_are_the_tickets(by: Any, season: Season) -> None:
    days = [contest.day.isoformat() for contest in season.contests]
    assert [(r["day"], r["tickets"], r["net_cents"]) for r in rows(by, "sales-by-day", season)] == [
        (days[0], 5, 900),
        (days[1], 6, 1000),
    ]
    by_place = rows(by, "sales-by-premises", season)
    assert [(r["premises"], r["sold_cents"]) for r in by_place] == [
        (season.points[0].premises.code, 700),
        (season.points[1].premises.code, 1200),
    ]
    terminals = rows(by, "sales-by-terminal", season)
    assert [r["terminal"] for r in terminals] == [p.terminal.code for p in season.points]
    (game,) = rows(by, "sales-by-game", season)
    assert (game["game"], game["tickets"], game["net_cents"]) == ("lototrot", 11, 1900)
    outside = selectors.report(
        by=by, name="sales-by-day", first=date(2029, 1, 1), last=date(2029, 1, 2)
    )
    assert outside.rows == []


def test_prizes_and_the_organisers_share_are_the_settlements(by: Any, season: Season) -> None:
    won = rows(by, "prizes-won", season)
    settlements = [contest.settlements.get() for contest in season.contests]
    assert sum(r["total_cents"] for r in won) == sum(s.prizes_cents for s in settlements)
    assert {r["tier"] for r in won} == {"2/2", "1/2"}
    shares = rows(by, "organiser-share", season)
    assert [r["takings_cents"] for r in shares] == [900, 1000]
    for row, part in (
        ("tax_cents", accounts.Part.TAX),
        ("commission_cents", accounts.Part.COMMISSION),
    ):
        assert sum(r[row] for r in shares) == ledger.balance_cents(accounts.organiser(part))
    for row in shares:
        parts = ("commission_cents", "management_cents", "tax_cents", "remainder_cents")
        assert sum(row[part] for part in parts) == row["share_cents"]
        assert row["takings_cents"] == row["prizes_cents"] + row["share_cents"]


def test_the_jackpots_history_explains_every_movement_to_the_balance(
    by: Any, season: Season
) -> None:
    history = rows(by, "jackpot-history", season)
    code = RULES.code
    for fund, account in (
        ("jackpot", accounts.jackpot(code)),
        ("reserve fund", accounts.reserve(code)),
    ):
        mine = [r for r in history if r["fund"] == fund]
        assert mine, (fund, history)
        standing = 0
        for row in mine:
            standing += row["cents"]
            assert row["after_cents"] == standing
            assert "lototrot." not in row["why"]
            assert row["meeting"]
        assert standing == ledger.balance_cents(account)
    carried = rows(by, "jackpot-by-meeting", season)
    assert carried[0]["jackpot_out_cents"] == carried[1]["jackpot_in_cents"] > 0
    assert carried[1]["jackpot_out_cents"] == 0


@pytest.fixture(autouse=True)
def _english() -> Any:
    from django.utils.translation import override

    with override("en"):
        yield


def test_the_same_figures_in_every_form(by: Any, season: Season) -> None:
    first = season.contests[0].day
    table = selectors.report(by=by, name="sales-by-day", first=first, last=first)
    lines = list(csv.DictReader(io.StringIO(outputs.as_csv(table))))
    assert lines[0]["net_cents"] == lines[-1]["net_cents"] == "900"
    sheet = openpyxl.load_workbook(io.BytesIO(outputs.as_xlsx(table))).active
    assert sheet is not None
    values = list(sheet.iter_rows(values_only=True))
    assert values[0][0] == "day"
    assert values[1][-1] == values[2][-1] == 9
    assert sheet["G2"].number_format == outputs.EUROS
    picture = charts.svg(table)
    tree = ElementTree.fromstring(picture)  # noqa: S314  (our own)
    assert tree.attrib["role"] == "img"
    assert not re.search(r"(href|src|url\()", picture)


def test_a_chart_escapes_and_spreadsheets_get_no_formulas() -> None:
    report = Report(
        name="t",
        title="<b>",
        about="",
        order=1,
        columns=(Column("a", "a"), Column("b", "b", Kind.WHOLE, summed=True)),
        picture=Picture("a", ["b"]),
    )
    rows = [("<script>", 3), ("=1+1", -4)]
    table = tables.Table(report, Period(date(2030, 1, 1), date(2030, 1, 2)), rows, (None, -1))
    picture = charts.svg(table)
    assert "<script>" not in picture
    ElementTree.fromstring(picture)  # noqa: S314  (our own)
    assert "'=1+1" in outputs.as_csv(table)
    sheet = openpyxl.load_workbook(io.BytesIO(outputs.as_xlsx(table))).active
    assert sheet is not None
    assert sheet["A3"].value == "'=1+1"


def test_what_is_refused(by: Any) -> None:
    with pytest.raises(ReportUnknown):
        selectors.report(by=by, name="nothing")
    for first, last in ((date(2030, 1, 2), date(2030, 1, 1)), (date(2000, 1, 1), date(2030, 1, 1))):
        with pytest.raises(PeriodRefused):
            selectors.report(by=by, name="outs", first=first, last=last)


def test_through_the_api_and_on_screen(season: Season) -> None:
    api, day = staff_api(Role.AUDITOR), season.contests[0].day.isoformat()
    refused(staff_api(Role.CASHIER).get("reports"), 403, "power_missing")
    names = [each["name"] for each in api.get("reports").json()["items"]]
    desk = Desk(Role.ORGANISER)
    listed = desk.get("/admin/reports/")
    for name in names:
        found = api.get(f"reports/{name}", first=day).json()
        assert found["report"] == name
        assert f"/admin/reports/{name}/" in listed
        desk.get(f"/admin/reports/{name}/", first=day)
        for kind in ("csv", "xlsx"):
            assert desk.client.get(f"/admin/reports/{name}.{kind}").status_code == 200
            assert api.get(f"reports/{name}.{kind}", first=day).status_code == 200
    page = desk.client.get("/admin/reports/sales-by-day/", {"first": day, "last": day})
    assert "€9.00" in text_of(page)
    assert b"<svg" in page.content
    wrong = desk.get("/admin/reports/sales-by-day/", first=day, last="2029-01-01")
    assert "begins before it ends" in wrong
    assert desk.client.get("/admin/reports/nothing/").status_code == 404
    other = Desk(Role.CASHIER)
    assert other.client.get("/admin/reports/").status_code == 403
    assert "/admin/reports/" not in other.get("/admin/")
    refused(api.get("reports/nothing"), 404, "report_unknown")
    refused(api.get("reports/outs", first="2030-02-02", last="2030-02-01"), 422, "period_refused")
