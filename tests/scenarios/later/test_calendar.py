"""The calendar of later years: changes of summer time, week 53, months that end in a contest, 2038.

What is sold, and what a night does, is of the natural day of Madrid, whatever its length (14.III.8,
14.III.10.2).
"""

from datetime import UTC, date, datetime, timedelta

import pytest

from core.kernel.days import add_days, day_bounds, natural_day
from core.kernel.request_uuids import OLDEST
from core.nights.jobs import Job, Outcome
from core.nights.services import night_run
from core.periods.models import ClosedPeriod
from core.periods.services import PeriodUnfinished, period_propose
from core.premises.requests import new_uuid
from core.staff import two_persons
from core.staff.powers import Role
from core.statements.balances import mark_make
from core.statements.models import Statement
from core.statements.services import statements_issue
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket
from lototrot.services.contest.closing import contest_close_due
from tests.support import factories, rounds
from tests.support.api import terminal_api
from tests.support.contributing import contributed
from tests.support.databases import Database
from tests.support.factories import Point
from tests.support.stating import days_end, rate

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
CHANGES = [(date(2036, 3, 30), 23), (date(2036, 10, 26), 25)]
"""Days on which clocks change, at 01:00 UTC, with their hours."""
LAST_OF_32_BITS = datetime(2038, 1, 19, 3, 14, 7, tzinfo=UTC)
CENTS = 100


def change_on(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, 1, tzinfo=UTC)


def on_sale(day: date) -> Contest:
    """Put a contest of a day on sale, which closes in two hours and a half."""
    return rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3)] * 2, day=day)


def outcomes(contest: Contest, point: Point, instants: list[datetime]) -> list[str]:
    """Try to sell a ticket of one bet at each instant."""
    tried = []
    for instant in instants:
        factories.time_to(instant)
        tried.append(factories.sell(contest, point).outcome)
    return tried


@pytest.mark.django_db
@pytest.mark.article("14.III.4", "14.III.8.1")
@pytest.mark.parametrize(("day", "hours"), CHANGES)
def test_the_hour_of_the_change_sells_in_order_and_closes_at_its_instant(
    day: date, hours: int
) -> None:
    """In autumn the closing at half past two is the second one, and at the first one it sells."""
    start, end = day_bounds(day)
    assert end - start == hours * HOUR
    change = change_on(day)
    factories.time_to(change - 2 * HOUR)
    point, contest = factories.point(), on_sale(day)
    closing = contest.scheduled_close_at
    assert HOUR / 2 <= closing - change < HOUR
    good = [change - HOUR / 2, change - MINUTE, change, closing - MINUTE]
    assert outcomes(contest, point, good) == ["sold"] * 4
    assert outcomes(contest, point, [closing]) != ["sold"]
    assert contest_close_due(contest_id=contest.pk)
    contest.refresh_from_db()
    assert contest.closed_at == closing
    sold = list(Ticket.objects.order_by("uuid").values_list("sold_at", flat=True))
    assert sold == sorted(sold) and len(sold) == 4
    assert {natural_day(instant) for instant in sold} == {day}
    totals = terminal_api(point).get("lototrot/terminal/totals", day=day.isoformat()).json()
    assert (totals["tickets"], totals["amount_cents"]) == (4, 4 * CENTS)


@pytest.mark.django_db
@pytest.mark.article("14.III.10.2")
@pytest.mark.parametrize(("day", "hours"), CHANGES)
def test_the_night_of_the_change_is_done_once(day: date, hours: int) -> None:
    """Each hour asks for the night: also the one that comes twice."""
    nights: list[date] = []

    def run(of_day: date) -> Outcome:
        nights.append(of_day)
        return Outcome()

    start, end = day_bounds(day)
    with contributed("nightly", "JOBS", [Job(name="any", title="Any", order=1, run=run)]):
        factories.time_to(start - HOUR)
        night_run()
        for number in range(hours + 1):
            factories.time_to(start + number * HOUR)
            night_run()
    assert start + hours * HOUR == end
    assert nights == [add_days(day, -2), add_days(day, -1), day]


@pytest.mark.django_db
@pytest.mark.article("14.III.8.1")
def test_week_53_is_one_statement_of_two_years() -> None:
    monday, sunday = date(2032, 12, 27), date(2033, 1, 2)
    assert monday.isocalendar()[:2] == sunday.isocalendar()[:2] == (2032, 53)
    factories.time_to(datetime(2032, 12, 31, 21, tzinfo=UTC))
    rate(factories.staff(Role.ORGANISER), "10", since=monday)
    point, contest = factories.point(), on_sale(date(2032, 12, 31))
    midnight = day_bounds(date(2033, 1, 1))[0]
    assert outcomes(contest, point, [midnight - MINUTE, midnight]) == ["sold"] * 2
    factories.time_to(day_bounds(sunday)[1] + HOUR)
    mark_make()
    (issued,) = statements_issue(until=sunday)
    assert (issued.week_from, issued.week_to, issued.number) == (monday, sunday, 1)
    assert issued.closing_cents == 2 * CENTS * 90 // 100
    factories.time_pass(days=7)
    statements_issue(until=add_days(sunday, 7))
    weeks = Statement.objects.order_by("number").values_list("number", "week_from")
    assert list(weeks) == [(1, monday), (2, add_days(monday, 7))]


@pytest.mark.article("14.III.4", "14.III.10.7")
def test_a_month_that_ends_in_a_contest_waits_for_it_and_has_the_sales_before_midnight(
    own_database: Database,
) -> None:
    last = date(2037, 1, 31)
    midnight = day_bounds(last)[1]
    factories.time_to(midnight - 2 * HOUR)
    point, contest = factories.point(), on_sale(last)
    by = factories.staff(Role.ORGANISER)
    assert outcomes(contest, point, [midnight - MINUTE, midnight, midnight + MINUTE]) == (
        ["sold"] * 3
    )
    with pytest.raises(PeriodUnfinished):
        period_propose(by=by, month="2037-01")
    factories.time_to(midnight + 2 * HOUR)
    rounds.run(contest, [rounds.Facts((1, 2, 3), winners=frozenset({1}))] * 2)
    rounds.order(contest)
    factories.prints_ended(contest)
    with pytest.raises(PeriodUnfinished):  # its prizes may be claimed
        period_propose(by=by, month="2037-01")
    days_end(40)
    proposal = period_propose(by=factories.staff(Role.ORGANISER), month="2037-01")
    two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.AUDITOR))
    period = ClosedPeriod.objects.get()
    assert (period.last_day, period.ends_at) == (last, midnight)
    assert period.document["transfers"]["cents"] == CENTS


@pytest.mark.django_db
@pytest.mark.article("14.III.1.5")
def test_sales_go_on_past_the_last_second_of_32_bits() -> None:
    factories.time_to(LAST_OF_32_BITS - HOUR)
    point, contest = factories.point(), on_sale(natural_day(LAST_OF_32_BITS))
    minutes = [LAST_OF_32_BITS + number * MINUTE for number in range(-1, 3)]
    assert outcomes(contest, point, minutes) == ["sold"] * 4
    sold = list(Ticket.objects.order_by("uuid").values_list("sold_at", flat=True))
    assert sold == sorted(sold) and sold[-1] > LAST_OF_32_BITS
    kept = new_uuid()
    factories.time_to(LAST_OF_32_BITS + OLDEST + HOUR)
    later = on_sale(natural_day(LAST_OF_32_BITS + OLDEST))
    assert factories.sell(later, point, request=kept).outcome == "request_uuid_too_old"
    assert factories.sell(later, point).outcome == "sold"
