"""Read a week of the running accounts, and the weeks that have no statement yet."""

import uuid
from datetime import date, timedelta
from typing import Any

import pytest

from core.statements import services, weeks
from tests.support import factories, rounds
from tests.support.stating import MONDAY, SUNDAY, at, rate

pytestmark = pytest.mark.django_db


def test_a_week_holds_its_movements_and_its_commission(organiser: Any, contest: Any) -> None:
    rate(organiser, "10")
    place, idle = factories.point(), factories.point()
    rounds.sell(contest, place, [(1, 1)] * 2)
    week = weeks.week(SUNDAY)
    assert weeks.premises_of(week) == [place.premises.pk]
    figures = week.figures(place.premises.pk)
    assert (figures.columns["sales"], figures.columns["commission"]) == (210, -21)
    assert figures.total_cents == 189
    assert [(line["game"], line["count"]) for line in figures.lines] == [("lototrot", 2)]
    assert week.figures(idle.premises.pk).total_cents == 0
    assert weeks.ledger_cents(SUNDAY) == {place.premises.pk: 210}  # no commission is posted yet


def test_a_statement_is_found_by_the_week_and_premises_in_its_uuid(
    organiser: Any, contest: Any
) -> None:
    place, other = factories.point(), factories.point()
    for point in (place, other):
        rounds.sell(contest, point, [(1, 1)])
    at(date(2030, 3, 11))
    for issued in services.statements_issue(until=SUNDAY):
        assert issued.uuid == weeks.ident(issued.premises_id, MONDAY)
        assert weeks.statement_of(issued.uuid).get() == issued
    unknown = (
        weeks.ident(place.premises.pk, MONDAY, payment=1),
        weeks.ident(place.premises.pk, SUNDAY),
        weeks.ident(1_000_000, MONDAY),
        *(uuid.UUID(int=number) for number in (0, 2**128 - 1, 2**120, issued.uuid.int ^ 1 << 70)),
    )
    for ident in unknown:
        assert not weeks.statement_of(ident).exists()


def test_ended_weeks_without_a_statement_are_due_oldest_first(organiser: Any, contest: Any) -> None:
    assert weeks.due(SUNDAY) == []  # nothing was ever sold
    place = factories.point()
    rounds.sell(contest, place, [(1, 1)])
    assert weeks.due(SUNDAY - timedelta(days=1)) == []
    assert weeks.due(SUNDAY + timedelta(days=8)) == [SUNDAY, SUNDAY + timedelta(days=7)]
    at(date(2030, 3, 11))
    services.statements_issue(until=SUNDAY)
    assert weeks.due(SUNDAY) == []
    assert weeks.due(MONDAY + timedelta(days=13)) == [SUNDAY + timedelta(days=7)]
