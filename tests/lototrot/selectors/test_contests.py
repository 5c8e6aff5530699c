"""Find contests and their rules."""

import pytest

from lototrot.selectors.contests import ContestUnknown, contest_get, figures_of, rules_of
from tests.support import factories

pytestmark = pytest.mark.django_db


def test_a_contest_is_found_by_its_id_or_refused() -> None:
    contest = factories.contest()
    assert contest_get(contest.pk) == contest
    with pytest.raises(ContestUnknown):
        contest_get(2**31)


@pytest.mark.article("14.III.6.1")
def test_the_rules_of_a_contest_give_at_least_what_the_regulation_asks_on_its_day() -> None:
    contest = factories.contest()
    least = figures_of(contest.day).lototrot.minimum_prize_percent
    assert rules_of(contest.bet_type, contest.day).prize_percent >= least
