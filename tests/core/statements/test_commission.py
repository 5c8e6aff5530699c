"""Take commission back for sales that left the takings."""

from datetime import date, timedelta
from typing import Any

import pytest

from core.database import clock
from core.journal.rules import broken
from core.statements import nightly, services, weeks
from core.statements.journal_rules import RULES
from lototrot.services.tickets.annulment import ticket_annul
from tests.support import factories, rounds
from tests.support.admin_desk import sold_with_code
from tests.support.lototrot import breaching
from tests.support.stating import SUNDAY, at, rate

pytestmark = pytest.mark.django_db


def test_annulled_and_voided_sales_earn_nothing(organiser: Any) -> None:
    rate(organiser, "10")
    contest = factories.contest(correction_window_s=600, price_cents=200)
    place = factories.point()
    error, code = sold_with_code(contest, place)
    sold_with_code(contest, place)
    late, _code = sold_with_code(contest, place)
    ticket_annul(by=place.actor, ident=error.uuid, presented_code=code, reason="wrong")
    factories.contest_closed(contest)
    now = factories.time_pass(minutes=1)
    breaching.voided([late])
    sunday = weeks.natural_day(now)
    sunday += timedelta(days=7 - sunday.isoweekday())
    at(sunday + timedelta(days=1))
    (mine,) = services.statements_issue(until=sunday)
    assert (mine.sales_cents, mine.annulments_cents) == (600, -200)
    assert [(row["base_cents"], row["commission_cents"]) for row in mine.commission] == [(200, 20)]
    assert mine.closing_cents == 380


def test_an_error_annulled_after_midnight_takes_back_what_its_sale_earned(organiser: Any) -> None:
    """The rate falls at midnight, and the contest goes on (B15). The sale earned 10 %; what was
    annulled within the window of errors [E4] earned nothing, on whatever day.
    """
    rate(organiser, "10")
    rate(organiser, "2", since=date(2030, 3, 7))
    at(date(2030, 3, 6), 22)
    contest = factories.contest(correction_window_s=7200, price_cents=200)
    place = factories.point()
    error, code = sold_with_code(contest, place)
    assert clock.now().date() == date(2030, 3, 6)
    factories.time_pass(minutes=90)
    ticket_annul(by=place.actor, ident=error.uuid, presented_code=code, reason="wrong")
    at(date(2030, 3, 11))
    (mine,) = services.statements_issue(until=SUNDAY)
    assert (mine.sales_cents, mine.annulments_cents, mine.commission_cents) == (200, -200, 0)
    assert mine.closing_cents == 0


def test_commission_is_taken_back_at_the_rate_at_which_it_was_earned(
    organiser: Any, contest: Any
) -> None:
    """The rate falls between the sales and the void. The statement is one that a journal keeps."""
    rate(organiser, "10")
    rate(organiser, "2", since=date(2030, 3, 11))
    place = factories.point()
    rounds.sell(contest, place, [(1, 1)] * 10)
    at(date(2030, 3, 11))
    (first,) = services.statements_issue(until=SUNDAY)
    assert first.commission_cents == -105
    factories.contest_closed(contest)
    breaching.voided(contest.tickets.all())
    at(date(2030, 3, 14))
    next_contest = rounds.contest(
        rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3)] * 2, price_cents=105, day=date(2030, 3, 17)
    )
    rounds.sell(next_contest, place, [(1, 1)] * 10)
    at(date(2030, 3, 18))
    (second,) = services.statements_issue(until=date(2030, 3, 17))
    assert [(r["percent"], r["base_cents"], r["commission_cents"]) for r in second.commission] == [
        ("10", -1050, -105),
        ("2", 1050, 21),
    ]
    assert second.commission_cents == 84
    assert nightly.audit(SUNDAY).counts["statements"] == 2
    (posted,) = (rule for rule in RULES if rule.name == "statements_statement.posted")
    assert not list(broken(posted))
