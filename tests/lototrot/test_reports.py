"""Report Lototrot's sales, prizes, share and funds from its tickets and settlements."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils.translation import override

from core.database import clock
from core.kernel.days import natural_day
from core.ledger import services as ledger
from core.premises.models import Game
from core.reports.tables import Period
from core.staff.powers import Role
from lototrot import accounts, reports
from lototrot.models.tickets import Ticket, Void
from lototrot.services.seal.sealing import contest_seal
from lototrot.services.settlement.settling import settlement_reverse
from tests.support import factories, rounds
from tests.support.lototrot import breaching
from tests.support.reporting import RULES, Season

pytestmark = pytest.mark.django_db


@pytest.fixture
def season() -> Season:
    return Season()


@pytest.fixture(autouse=True)
def _english() -> Any:
    with override("en"):
        yield


def days(season: Season) -> Period:
    first = season.contests[0].day
    return Period(first, first + timedelta(days=5))


def column(report: Any, row: Any, name: str) -> Any:
    """Return the cell of a row under the column of that name."""
    return row[[each.name for each in report.columns].index(name)]


def test_sales_are_counted_by_day_and_terminal_in_a_period(season: Season) -> None:
    sold = list(reports.sold(days(season)))
    rows = [(row.day, row.terminal_id, row.tickets, row.sold_cents) for row in sold]
    first, second = (contest.day for contest in season.contests)
    one, two = (point.terminal.pk for point in season.points)
    assert sorted(rows) == [
        (first, one, 3, 300),
        (first, two, 2, 600),
        (second, one, 4, 400),
        (second, two, 2, 600),
    ]
    assert {row.game for row in sold} == {Game.LOTOTROT}
    before = first - timedelta(days=1)
    assert list(reports.sold(Period(before, before))) == []


def test_annulled_tickets_and_tickets_in_breach_are_told_apart() -> None:
    place, contest = factories.point(), factories.contest()
    wrong, late, _ = (factories.sell(contest, place) for _ in range(3))
    Void.objects.create(
        ticket_id=wrong.ticket_id,
        reason="error",
        note="Wrong race",
        voided_at=wrong.sold_at,
        operator=place.operator,
    )
    factories.contest_closed(contest)
    contest_seal(contest_id=contest.pk)
    breaching.voided([Ticket.objects.get(pk=late.ticket_id)])
    today = natural_day(clock.now())
    (row,) = reports.sold(Period(today, today))
    price = contest.price_cents
    assert (row.tickets, row.sold_cents) == (3, 3 * price)
    assert (row.annulled_cents, row.voided_cents) == (price, price)


@pytest.mark.article("14.III.9.6", "14.III.9.7")
def test_prizes_won_are_those_of_the_settlements_in_force(season: Season) -> None:
    rows = list(reports.won(days(season)))
    settlements = [contest.settlements.get() for contest in season.contests]
    assert {row[3] for row in rows} == {"2/2", "1/2"}
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)
    assert sum(row[6] for row in rows) == sum(each.prizes_cents for each in settlements)
    assert all(row[6] == row[4] * (row[5] or 0) for row in rows)


def test_the_organisers_share_is_divided_whole(season: Season) -> None:
    rows = list(reports.share(days(season)))
    assert [row[3] for row in rows] == [900, 1000]
    for _, _, _, takings, to_prizes, share, *parts in rows:
        assert takings == to_prizes + share
        assert sum(parts) == share
    for place, part in enumerate(accounts.Part):
        assert sum(row[6 + place] for row in rows) == ledger.balance_cents(accounts.organiser(part))


@pytest.mark.article("14.III.9.3", "14.III.9.5", "14.III.9.8")
def test_the_history_explains_every_movement_up_to_the_balance(season: Season) -> None:
    rows = list(reports.history(days(season)))
    for fund, account in (
        ("jackpot", accounts.jackpot(RULES.code)),
        ("reserve fund", accounts.reserve(RULES.code)),
    ):
        mine = [row for row in rows if column(reports.HISTORY, row, "fund") == fund]
        assert mine
        balance = 0
        for row in mine:
            balance += column(reports.HISTORY, row, "cents")
            assert column(reports.HISTORY, row, "after_cents") == balance
            assert "lototrot." not in column(reports.HISTORY, row, "why")
            assert column(reports.HISTORY, row, "meeting")
        assert balance == ledger.balance_cents(account)


def test_a_period_begins_with_the_balance_that_came_before_it(season: Season) -> None:
    second = season.contests[1].day
    first_row = next(iter(reports.history(Period(second, second))))
    assert column(reports.HISTORY, first_row, "cents") < 0
    before = season.contests[0].settlements.get().jackpot_out_cents
    after = column(reports.HISTORY, first_row, "after_cents")
    assert after == before + column(reports.HISTORY, first_row, "cents")


def test_jackpot_and_reserve_pass_from_meeting_to_meeting(season: Season) -> None:
    first, second = reports.carried(days(season))
    for fund in ("jackpot", "reserve"):
        left = column(reports.CARRIED, first, f"{fund}_out_cents")
        assert left == column(reports.CARRIED, second, f"{fund}_in_cents")
    assert column(reports.CARRIED, first, "jackpot_out_cents") > 0
    assert column(reports.CARRIED, second, "jackpot_out_cents") == 0


@pytest.mark.article("14.III.5.3")
def test_a_reversed_settlement_is_in_no_report_but_the_history() -> None:
    factories.time_to(rounds.NOON)
    contest = rounds.settled(factories.point(), [(2, 1), (4, 4)])
    period = Period(natural_day(clock.now()), contest.day)
    movements = len(list(reports.history(period)))
    assert movements > 0
    settlement_reverse(contest_id=contest.pk, by=factories.staff(Role.STEWARDS))
    for report in (reports.won, reports.share, reports.carried):
        assert list(report(period)) == []
    reasons = [column(reports.HISTORY, row, "why") for row in reports.history(period)]
    assert len(reasons) > movements
    assert "A settlement was reversed to correct a result (5.3)" in reasons


def test_every_report_has_rows_and_as_many_cells_as_columns(season: Season) -> None:
    assert {report.name for report in reports.REPORTS.defined} <= set(reports.REPORTS.rows)
    for report in reports.REPORTS.defined:
        for row in reports.REPORTS.rows[report.name](days(season)):
            assert len(row) == len(report.columns)
