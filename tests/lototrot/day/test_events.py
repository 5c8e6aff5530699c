"""Collect the events of a day, and none of another day."""

import pytest

from core.kernel.days import add_days, natural_day
from core.reports.parts import Span
from lototrot.day.events import events
from lototrot.day.replays import REPLAYS
from tests.support import factories, rounds

pytestmark = pytest.mark.django_db


def test_a_day_has_its_sales_its_closing_and_its_results_and_each_has_a_replay() -> None:
    today = natural_day(factories.time_to(rounds.NOON))
    contest = rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3)] * 2)
    rounds.sell(contest, factories.point(), [(1, 1), (1, 2)])
    rounds.run(contest, [rounds.Facts((1, 2, 3), winners=frozenset({1}))] * 2)
    kinds = [event.kind for event in events(Span.of(today))]
    assert kinds.count("lototrot.sale") == 2
    assert kinds.count("lototrot.classification") == kinds.count("lototrot.start") == 2
    assert {"lototrot.opened", "lototrot.closed", "lototrot.seal"} <= set(kinds)
    assert set(kinds) <= set(REPLAYS)
    assert list(events(Span.of(add_days(today, 1)))) == []
