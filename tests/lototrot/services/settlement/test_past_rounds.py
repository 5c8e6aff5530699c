"""The bets of settled contests, counted again for a bet type of any number of races."""

from fractions import Fraction

import pytest

from lototrot.engine.bet_type import BetType
from lototrot.engine.hits import bets_by_hits
from lototrot.engine.races import Race as Facts
from lototrot.engine.trial import tried
from lototrot.models.contest import Contest
from lototrot.services.settlement.past_rounds import past_rounds
from lototrot.services.settlement.settling import contest_settle
from tests.support import factories, rounds

pytestmark = pytest.mark.django_db
TICKETS = ((1, 1, 1), (1, 3, 2), (3, 3, 3), (2, 2, 2), (7, 1, 6))
THREE = {
    "code": "three",
    "legs": 3,
    "shares_below": {"3": 60, "2": 40},
    "shares_above": {"3": 50, "2": 40, "reserve": 10},
}


@pytest.fixture
def settled() -> Contest:
    contest = rounds.contest(rounds.rules(**THREE), [(1, 2, 3)] * 3)
    rounds.sell(contest, factories.point(), TICKETS)
    rounds.run(contest, [Facts((1, 2, 3), winners=frozenset({1}))] * 3)
    contest_settle(contest_id=contest.pk)
    return contest


@pytest.mark.parametrize("legs", [2, 3, 5])
def test_the_first_races_are_counted_as_the_engine_counts_them(settled: Contest, legs: int) -> None:
    (past,) = past_rounds(legs)
    counted = min(legs, 3)
    expected = [bets_by_hits(ticket[:counted], (1,) * counted) for ticket in TICKETS]
    assert past.by_hits == tuple(sum(column) for column in zip(*expected, strict=True))
    first = sum(bets_by_hits(t[:counted], (1, *(0,) * (counted - 1)))[1] for t in TICKETS)
    assert past.right_by_leg[0] == first
    assert len(past.right_by_leg) == past.legs == counted


def test_a_round_pays_again_what_its_settlement_paid(settled: Contest) -> None:
    settlement = settled.settlements.get()
    rules = BetType.from_document(settled.bet_type.document, minimum_prize_percent=Fraction(60))
    (result,) = tried(past_rounds(3), rules, settled.price_cents)
    assert result.paid.to_document().items() <= settlement.figures.items()


def test_what_is_reversed_or_never_settled_is_no_round() -> None:
    rounds.bare_settlement(factories.contest())
    assert past_rounds(7) == []
