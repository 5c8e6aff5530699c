"""Run a contest of two races up to its closing or its payment order."""

from collections.abc import Sequence
from typing import Any

from lototrot.engine.bet_type import BetType as Rules
from lototrot.engine.races import Race
from lototrot.models.contest import Contest
from tests.support import rounds
from tests.support.factories import Point

TWO = rounds.rules(**rounds.TWO_LEGS)
FOUR_RUNNERS = [(1, 2, 3, 4)] * 2
WON_BY_ONE = [Race((1, 2, 3, 4), winners=frozenset({1}))] * 2
# By numbers marked: both right, one right (twice), none right.
TICKETS = [[(1,), (1,)], [(1,), (2,)], [(2,), (1,)], [(3,), (3,)]]


def closed_contest(
    point: Point,
    *,
    tickets: Sequence[Any] = TICKETS,
    rules: Rules = TWO,
    facts: Sequence[Race] = WON_BY_ONE,
) -> Contest:
    """A contest of two races that has been run: of its four bets one has both right, two one."""
    contest = rounds.contest(rules, FOUR_RUNNERS)
    rounds.sell(contest, point, [rounds.masks(numbers) for numbers in tickets])
    rounds.run(contest, facts)
    return contest
