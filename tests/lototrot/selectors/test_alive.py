"""Count bets alive after each race as a player would count them, and wait for each count."""

import random
from itertools import product

import pytest

from lototrot import accounts
from lototrot.engine.races import Outcome, Race, numbers_of, substitute
from lototrot.selectors.alive import standings
from lototrot.selectors.board import board_document, board_prepare
from lototrot.selectors.cards import contest_legs
from lototrot.services.settlement.settling import contest_settle
from tests.support import factories, rounds

NUMBERS = (1, 2, 3, 4, 5)


def some_masks(rng: random.Random, legs: int) -> tuple[int, ...]:
    return tuple(
        sum(1 << n - 1 for n in rng.sample(NUMBERS, rng.choice((1, 1, 2)))) for _ in range(legs)
    )


@pytest.mark.django_db
@pytest.mark.article("14.III.7", "14.III.5.4.1", "14.III.9.7")
def test_bets_alive_after_each_race_are_those_a_player_would_count() -> None:
    rng = random.Random(20261121)
    contest = rounds.published()
    at = factories.point()
    tickets = [some_masks(rng, 7) for _ in range(120)]
    rounds.sell(contest, at, tickets)
    rounds.fund(accounts.jackpot("lototrot"), 300_00)
    facts = [
        Race(
            programme=NUMBERS,
            withdrawn=frozenset({2} if leg == 3 else ()),
            winners=frozenset({3, 5} if leg == 5 else {3}),
            outcome=Outcome.RUN,
        )
        for leg in range(1, 8)
    ]
    rounds.run(contest, facts)
    contest.refresh_from_db()

    assert board_document()["contests"][0]["standings"] == []  # nothing has been counted yet
    board_prepare()
    stands = standings(contest, contest_legs(contest), counting=False)

    assert [standing.known for standing in stands] == list(range(1, 8))
    right = [{n for n in NUMBERS if substitute(n, race)[-1] in race.winners} for race in facts]
    for many, standing in enumerate(stands, start=1):
        expected = dict.fromkeys((7, 6, 5, 4), 0)
        for masks in tickets:
            for bet in product(*[numbers_of(mask) for mask in masks]):
                wrong = sum(bet[leg] not in right[leg] for leg in range(many))
                if wrong <= 3:
                    expected[7 - wrong] += 1
        assert dict(standing.bets) == expected
    settlement = contest_settle(contest_id=contest.pk)
    assert {str(k): v for k, v in stands[-1].bets.items()} == settlement.figures["winners"]
    assert {str(k): v for k, v in stands[-1].prizes.items()} == settlement.figures["prize_each"]
    (contest_on_board,) = board_document()["contests"]
    assert set(contest_on_board["proofs"]) == {"seal", "certificate"}
    again = standings(contest, contest_legs(contest))
    assert again[-1] == stands[-1]  # what was carried in is still what it was


@pytest.mark.django_db
@pytest.mark.article("14.III.7")
def test_a_race_without_a_result_decides_nothing() -> None:
    contest = rounds.published()
    rounds.sell(contest, factories.point(), [(1,) * 7])
    assert standings(contest, contest_legs(contest)) == []
    factories.contest_closed(contest)
    factories.classified(factories.races_of(contest)[2], [1])
    (standing,) = standings(contest, contest_legs(contest))
    assert (standing.position, standing.known) == (3, 1)
    assert standing.to_document()["bets"] == {"7": 1, "6": 0, "5": 0, "4": 0}
