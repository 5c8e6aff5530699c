"""Winning tickets are read once; their prizes are written as they were counted."""

import pytest
from django.db import IntegrityError, transaction

from lototrot.models.contest import Contest
from lototrot.models.settlement import Prize
from lototrot.selectors.settlement.counting import Counting
from lototrot.services.settlement.winners import Winners, prizes_insert, winners_count
from tests.support import factories, rounds

pytestmark = pytest.mark.django_db

RIGHT = (1,) * 7
CENTS = {7: 1_000_00, 6: 10_00, 5: 1_00, 4: 1}
WON = [(1, 0, 0, 0), (0, 2, 0, 0), (0, 0, 3, 2**31 - 1)]


def winners(count: int) -> Winners:
    """So many winning tickets with high ids. Which of WON each has goes round."""
    return Winners(
        {
            won: b"".join((2**62 + n).to_bytes(8) for n in range(place, count, len(WON)))
            for place, won in enumerate(WON)
            if place < count
        }
    )


@pytest.fixture
def counting() -> Counting:
    return Counting(factories.contest().pk, RIGHT, rounds.rules())


@pytest.mark.article("14.III.7")
@pytest.mark.parametrize("count", [0, 1, 1_999, 2_001])
def test_every_winner_has_its_prize(counting: Counting, count: int) -> None:
    prizes_insert(counting, winners(count), settlement_id=9, prize_each=CENTS)
    stored = Prize.objects.order_by("ticket_id").values_list(
        "settlement_id", "ticket_id", "winning_bets", "prize_cents"
    )
    worth = [1_000_00, 20_00, 3_00 + 2**31 - 1]
    assert list(stored) == [
        (9, 2**62 + n, list(WON[n % len(WON)]), worth[n % len(WON)]) for n in range(count)
    ]


@pytest.mark.article("14.III.7")
def test_the_bets_of_a_category_are_those_of_all_its_tickets(counting: Counting) -> None:
    assert winners(4).by_category((7, 6, 5, 4)) == {7: 2, 6: 2, 5: 3, 4: 2**31 - 1}


def test_a_ticket_has_one_prize_of_a_settlement(counting: Counting) -> None:
    prizes_insert(counting, winners(3), settlement_id=9, prize_each=CENTS)
    with pytest.raises(IntegrityError, match="prize_of_ticket"), transaction.atomic():
        prizes_insert(counting, winners(1), settlement_id=9, prize_each=CENTS)
    assert Prize.objects.count() == 3


def test_tickets_with_the_same_bets_are_told_apart_by_their_ids(counting: Counting) -> None:
    contest_id, point = counting.contest_id, factories.point()
    contest = Contest.objects.get(pk=contest_id)
    sold = rounds.sell(contest, point, [RIGHT, (3, *RIGHT[1:]), (2,) * 7, RIGHT])
    tally, winning = winners_count(counting)
    assert tally.winning_tickets == 3
    assert len(winning) == 3
    both, one = (sold[1].pk,), (sold[0].pk, sold[3].pk)
    assert set(winning.ids) == {(1, 0, 0, 0), (1, 1, 0, 0)}
    for won, right in (((1, 1, 0, 0), both), ((1, 0, 0, 0), one)):
        ids = winning.ids[won]
        assert sorted(int.from_bytes(ids[at : at + 8]) for at in range(0, len(ids), 8)) == [*right]


def test_prizes_are_written_in_the_order_of_tickets_whatever_they_won() -> None:
    numbers = [number for number, _ in winners(1_000).in_order()]
    assert numbers == [2**62 + n for n in range(1_000)]
    places = [place for _, place in winners(7).in_order()]
    assert places == [0, 1, 2, 0, 1, 2, 0]
    assert list(Winners({}).in_order()) == []


def test_single_and_multiple_tickets_with_the_same_bets_are_counted_together(
    counting: Counting,
) -> None:
    contest = Contest.objects.get(pk=counting.contest_id)
    four_right = (1, 1, 1, 1, 2, 2, 2)
    sold = rounds.sell(contest, factories.point(), [four_right, (3, *four_right[1:])])
    tally, winning = winners_count(counting)
    assert tally.winning_tickets == len(winning) == len(sold)
    assert tally.winners == {7: 0, 6: 0, 5: 0, 4: 2}
    assert set(winning.ids) == {(0, 0, 0, 1)}
