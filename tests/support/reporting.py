"""Two settled meetings to report on."""

from datetime import date, timedelta
from typing import Any

from core.database import clock
from core.reports import outputs, selectors
from lototrot.engine.races import Race
from lototrot.services.settlement.settling import contest_settle
from tests.support import factories, rounds

RULES = rounds.rules(**rounds.TWO_LEGS)
FACTS = [Race((1, 2, 3), winners=frozenset({1}))] * 2


class Season:
    """Two meetings, settled: no bet won in the first."""

    def __init__(self) -> None:
        factories.time_to(rounds.NOON)
        self.points = [factories.point(), factories.point()]
        self.contests = []
        for meeting in (1, 2):
            contest = rounds.contest(RULES, [(1, 2, 3)] * 2, day=self.today())
            second = 2 if meeting == 1 else 1
            rounds.sell(contest, self.points[0], [(2, second)] * 3)
            rounds.sell(contest, self.points[1], [(2, 6), (6, 6)])
            if meeting == 2:
                rounds.sell(contest, self.points[0], [(1, 1)])
            rounds.run(contest, FACTS)
            contest_settle(contest_id=contest.pk)
            contest.refresh_from_db()
            type(contest).objects.filter(pk=contest.pk).update(state="ordered")
            self.contests.append(contest)
            rounds.later(1)

    @staticmethod
    def today() -> date:
        return clock.now().date()


def rows(by: Any, name: str, season: Season) -> list[dict[str, Any]]:
    """Return the rows of a report over the days of the season."""
    first = season.contests[0].day
    table = selectors.report(by=by, name=name, first=first, last=first + timedelta(days=5))
    return outputs.as_document(table)["rows"]
