"""Prizes that nobody claimed wait for a meeting, and are read while they can wait."""

from datetime import timedelta

import pytest

from core.kernel.days import natural_day
from lototrot import accounts
from lototrot.selectors.settlement.unclaimed import carry_overs_waiting, taken_before
from lototrot.services.prizes.carry_over import carry_overs_due, lapsed_carry_over
from lototrot.services.settlement.settling import contest_settle
from tests.support import factories, rounds

pytestmark = pytest.mark.django_db
CODE = "two-legs"
RULES = rounds.rules(**rounds.TWO_LEGS)
FACTS = [rounds.Facts((1, 2, 3), winners=frozenset({1}))] * 2


@pytest.mark.article("14.III.10.7")
def test_days_of_which_a_settled_meeting_took_all_are_not_read_again() -> None:
    today = natural_day(factories.time_to(rounds.NOON))
    rounds.fund(accounts.carry_over(CODE, today - timedelta(days=1)), 10)
    contest = rounds.contest(RULES, [(1, 2, 3)] * 2, day=today)
    rounds.run(contest, FACTS)
    lapsed_carry_over(contest_id=contest.pk)
    contest_settle(contest_id=contest.pk)
    rounds.fund(accounts.carry_over(CODE, today), 7)
    assert taken_before(CODE) == today
    assert carry_overs_waiting(CODE, since=today) == carry_overs_waiting(CODE) == [(today, 7)]
    after = rounds.contest(RULES, [(1, 2, 3)] * 2, day=today + timedelta(days=1))
    assert carry_overs_due() == [after.pk]
