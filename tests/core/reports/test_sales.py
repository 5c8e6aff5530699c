"""Report sales by day, premises, terminal and game."""

from datetime import date
from typing import Any

import pytest

from core.reports import selectors
from tests.support.reporting import Season, rows

pytestmark = pytest.mark.django_db


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
