"""Simulated players: the same seed the same tickets, and marks as real players set them."""

from collections import Counter
from itertools import islice
from random import Random
from statistics import mean

import pytest

from lototrot.engine.hits import bets_in
from lototrot.engine.races import numbers_of
from lototrot.sample import facts
from lototrot.sample.players import Kind, multiple_masks, selections, single_masks

SHARES = facts.load(facts.SON_PARDO).bet_shares()


def test_the_seed_decides_everything() -> None:
    def tickets(seed: int) -> list[object]:
        return list(selections(Random(seed), SHARES, singles=20, multiples=20, quick_picks=5))

    seven = tickets(7)
    assert seven == tickets(7)
    assert seven != tickets(8)


def test_a_longer_run_begins_as_the_shorter_one() -> None:
    few = list(multiple_masks(Random(1), SHARES, 100))
    assert list(islice(multiple_masks(Random(1), SHARES, 10_000), 100)) == few


def test_so_many_of_each_kind_all_sellable() -> None:
    day = facts.load(facts.SON_PARDO)
    shares = day.bet_shares(day.withdrawals)
    tickets = list(
        selections(Random(3), shares, singles=300, multiples=200, quick_picks=50, max_bets=500)
    )
    assert Counter(ticket.kind for ticket in tickets) == {
        Kind.SINGLE: 300,
        Kind.MULTIPLE: 200,
        Kind.QUICK_PICK: 50,
    }
    assert len({ticket.kind for ticket in tickets[:50]}) == 3
    for ticket in tickets:
        if ticket.kind is Kind.QUICK_PICK:
            assert ticket.numbers == ()
            continue
        bets = 1
        for numbers, race in zip(ticket.numbers, shares, strict=True):
            assert list(numbers) == sorted(set(numbers))
            assert race.keys() >= set(numbers)
            bets *= len(numbers)
        assert bets == 1 if ticket.kind is Kind.SINGLE else 2 <= bets <= 500


@pytest.mark.parametrize("name", facts.MEETINGS)
def test_multiple_tickets_spread_like_real_ones(name: str) -> None:
    shares = facts.load(name).bet_shares()
    tickets = list(multiple_masks(Random(20), shares, 20_000))
    bets = [bets_in(masks) for masks in tickets]
    assert min(bets) >= 2
    assert max(bets) <= 10_000
    assert 50 < mean(bets) < 72
    for race, masks in zip(shares, zip(*tickets, strict=True), strict=True):
        marked: Counter[int] = Counter()
        for mask in masks:
            numbers = numbers_of(mask)
            for number in numbers:
                marked[number] += 1 / len(numbers)
        for number, share in race.items():
            assert abs(marked[number] / len(tickets) - share / 10_000) < 0.06


def test_single_tickets_follow_the_shares() -> None:
    tickets = list(single_masks(Random(5), SHARES, 20_000))
    assert len(tickets) == 20_000
    for race, masks in zip(SHARES, zip(*tickets, strict=True), strict=True):
        drawn = Counter(masks)
        for number, share in race.items():
            assert abs(drawn[1 << (number - 1)] / 20_000 - share / 10_000) < 0.02


@pytest.mark.parametrize("mean_bets", [1, 20_000, 10**9])
def test_a_mean_that_no_ticket_can_have_is_refused(mean_bets: int) -> None:
    with pytest.raises(ValueError, match="on average"):
        multiple_masks(Random(1), SHARES, 10, mean_bets=mean_bets)
