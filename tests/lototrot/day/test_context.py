"""Collect the rows of before a day as they were when it began."""

import pytest

from core.kernel.days import add_days, natural_day
from core.reports.parts import Span
from lototrot.day.context import context, state_at
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket
from tests.support import factories, rounds

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


def test_a_day_begins_with_the_contests_and_tickets_of_before() -> None:
    today = natural_day(rounds.NOON)
    contest = rounds.contest(rounds.rules(), [(1, 2)] * 7, day=add_days(today, 3))
    (ticket,) = rounds.sell(contest, factories.point(), [(1,) * 7])
    assert not [row for row in context(Span.of(today)) if isinstance(row, Ticket)]
    rows = list(context(Span.of(add_days(today, 1))))
    assert [row.pk for row in rows if isinstance(row, Ticket)] == [ticket.pk]
    assert [row.state for row in rows if isinstance(row, Contest)] == [Contest.State.OPEN]


@pytest.mark.article("14.III.4")
def test_a_contest_closed_later_was_open_before() -> None:
    contest = rounds.contest(rounds.rules(), [(1, 2)] * 7)
    opened = contest.opened_at
    assert opened is not None
    factories.time_pass(hours=1)
    factories.contest_closed(contest)
    factories.time_pass(hours=1)
    contest.refresh_from_db()
    assert contest.closed_at is not None
    assert state_at(contest, opened) == Contest.State.DRAFT
    assert state_at(contest, contest.closed_at) == Contest.State.OPEN
    assert state_at(contest, factories.time_pass(hours=1)) == Contest.State.CLOSED
