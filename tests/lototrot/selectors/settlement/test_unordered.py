"""Find results without a payment order, and what keeps a chain waiting [D7]."""

from datetime import date

import pytest

from lototrot.selectors.settlement.unordered import chains_waiting, unordered
from tests.support import factories, rounds
from tests.support.lototrot import rights
from tests.support.lototrot.rights import JULY_12, JUNE_1, JUNE_8, at

pytestmark = [pytest.mark.django_db, pytest.mark.article("14.III.8.2", "14.III.10.2")]


def test_a_meeting_is_found_from_its_last_result_until_its_order() -> None:
    at(JUNE_8, 9)
    contest = rights.meeting(JUNE_8)
    rounds.sell(contest, factories.point(), [(1, 1)])
    assert unordered() == []
    at(JUNE_8, 19)
    rights.run(contest)
    (meeting,) = unordered()
    assert (meeting.contest, meeting.first_pay_day) == (contest, date(2030, 6, 9))
    assert meeting.ordinary_last_day == date(2030, 7, 8)
    assert chains_waiting([meeting]) == []
    rights.settled(contest)
    assert [each.contest for each in unordered()] == [contest]
    rights.ordered(contest)
    assert unordered() == []


def test_the_first_meeting_without_an_order_keeps_all_later_ones_waiting() -> None:
    first, second, _tickets = rights.blocked_chain()
    (waiting,) = chains_waiting(unordered())
    assert waiting.blocker == first
    assert [each.contest for each in waiting.meetings] == [second]
    at(JULY_12, 10)
    factories.drawn(factories.races_of(first)[0], 1, late_cause="No inspector could come")
    assert [each.contest for each in unordered()] == [first, second]
    rights.ordered(rights.settled(first))
    assert chains_waiting(unordered()) == []
    assert first.day == JUNE_1
