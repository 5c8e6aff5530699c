"""Check the exact percentages against every way of playing and against simulated plays.

A million plays of each strategy are simulated (`PROMOTROT_PLAYS` for
another number, a fifth of them in `make quick`).
"""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import sqrt
from random import Random
from typing import Any

import pytest

from promotrot.engine.game import ProbabilisticGame
from promotrot.engine.mechanics.hidden import Deal, Hidden
from promotrot.engine.mechanics.ladder import Ladder, Rung, Way
from promotrot.engine.prize_table import Prize
from promotrot.engine.situations import Choice, Mechanic, Situation
from promotrot.engine.strategies import (
    ProbabilisticType,
    Spread,
    any_of,
    best_of,
    expected_cents,
    policy,
    spread,
    worst_of,
)
from tests.support.promotrot.small_games import GAMES, LADDER, PRIZES, SMALL, fault_codes, type_of
from tests.support.running.effort import tries

PLAYS = int(os.environ.get("PROMOTROT_PLAYS", tries(1_000_000)))


CHOOSERS = {"worst": worst_of, "best": best_of}


def _situations(mechanic: Mechanic) -> dict[Situation, tuple[Choice, ...]]:
    situations: dict[Situation, tuple[Choice, ...]] = {}
    waiting = [Situation()]
    while waiting:
        at = waiting.pop()
        if at.award is None and at not in situations:
            situations[at] = mechanic.choices(at)
            waiting += [outcome.then for choice in situations[at] for outcome in choice.outcomes]
    return situations


def _every_way_of_playing(mechanic: Mechanic) -> Iterator[dict[Situation, Choice]]:
    situations = _situations(mechanic)
    for chosen in product(*situations.values()):
        yield dict(zip(situations, chosen, strict=True))


def _mean_cents(way: Mapping[Situation, Choice], prizes: Sequence[Prize]) -> Fraction:
    """Return the sum over all ends of chance times prize. The engine computes it backwards."""
    cents = [0, *(prize.value_cents for prize in prizes)]
    mean, waiting = Fraction(0), [(Situation(), Fraction(1))]
    while waiting:
        at, chance = waiting.pop()
        if at.award is not None:
            mean += chance * cents[at.award]
            continue
        choice = way[at]
        total = sum(outcome.weight for outcome in choice.outcomes)
        waiting += [(o.then, chance * Fraction(o.weight, total)) for o in choice.outcomes]
    return mean


@pytest.mark.article("15.II.3", "15.III.6.2")
@pytest.mark.parametrize("mechanic", SMALL, ids=repr)
def test_worst_and_best_are_those_of_all_ways_of_playing(mechanic: Mechanic) -> None:
    means = [_mean_cents(way, PRIZES) for way in _every_way_of_playing(mechanic)]
    assert min(means) == expected_cents(mechanic, PRIZES, worst_of)
    assert max(means) == expected_cents(mechanic, PRIZES, best_of)
    assert min(means) <= expected_cents(mechanic, PRIZES, any_of) <= max(means)


@pytest.mark.article("15.II.3")
def test_percentages_by_hand() -> None:
    # Ladder: on rung 1, 4/5 of the time. Stop 100; trot 1/2 x max or min (200, 2/5 x 500 + 3/5 x
    # 100 = 260); sprint 1/4 x 500 + 3/4 x 100 = 200.
    kind = ProbabilisticType(Fraction(80), 1000, 100, PRIZES, LADDER)
    exact = kind.percentages()
    assert exact.worst == 80
    assert exact.best == 160
    assert exact.random == Fraction(4, 5) * Fraction(100 + 200 + 230 // 2, 3)
    # One opening of a hidden game: the mean of what is there.
    one = Hidden(1, frozenset(), (Deal(1, (1, 0, 0)), Deal(3, (2, 0, 3))))
    mean = Fraction(1 * 500 + 3 * (200 + 100), 4 * 3)
    assert ProbabilisticType(Fraction(70), 1, 100, PRIZES, one).percentages().worst == mean


def _drawn(random: Random, bound: int, number: int) -> Counter[int]:
    """Return how often each integer below `bound` comes up in so many draws.

    Small ones are bytes, of which the last run, which is shorter, is drawn again: that takes a
    fifth of the time of a call for each draw.
    """
    if bound > 256:
        return Counter([int(random.random() * bound) for _ in range(number)])
    drawn: Counter[int] = Counter()
    refused = bytes(range(256 - 256 % bound, 256))
    while missing := number - drawn.total():
        for byte, times in Counter(random.randbytes(missing).translate(None, refused)).items():
            drawn[byte % bound] += times
    return drawn


@pytest.mark.article("15.II.3", "15.III.6.2")
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.code)
@pytest.mark.parametrize("strategy", ["worst", "random", "best"])
def test_exact_percentages_against_simulation(game: ProbabilisticGame, strategy: str) -> None:
    kind, random = game.kind, Random(f"{game.code} {strategy}")
    chosen = {} if strategy == "random" else policy(kind.mechanic, kind.prizes, CHOOSERS[strategy])
    pools = {}
    for at, choices in _situations(kind.mechanic).items():
        times = [c.acts if strategy == "random" else c.name == chosen[at] for c in choices]
        pools[at] = [c for c, number in zip(choices, times, strict=True) for _ in range(number)]
    awards: Counter[int] = Counter()
    waiting = Counter({Situation(): PLAYS})  # all plays go on together, step by step
    while waiting:
        further: Counter[Situation] = Counter()
        for at, plays in waiting.items():
            for place, chosen_by in _drawn(random, len(pools[at]), plays).items():
                choice = pools[at][place]
                for draw, number in _drawn(random, choice.bound, chosen_by).items():
                    then = choice.outcome(draw).then
                    if then.award is None:
                        further[then] += number
                    else:
                        awards[then.award] += number
        waiting = further
    cents = [0, *(prize.value_cents for prize in kind.prizes)]
    mean = sum(cents[award] * number for award, number in awards.items()) / PLAYS
    squares = sum(cents[award] ** 2 * number for award, number in awards.items())
    error = sqrt((squares / PLAYS - mean**2) / PLAYS)
    exact = float(getattr(kind.percentages(), strategy) * kind.price_cents / 100)
    assert awards.total() == PLAYS
    assert abs(mean - exact) <= 4.5 * error


@pytest.mark.article("15.III.6.2", "15.II.3")
def test_the_worst_way_of_playing_must_reach_seventy() -> None:
    def step(up: int) -> Ladder:
        return Ladder((Rung(None, (Way("trot", up, 1000),)), Rung(3, ())))

    assert fault_codes(type_of(step(700))) == []
    assert fault_codes(type_of(step(699))) == ["prizes_too_low"]
    # The best way gives 70 % and far more; the worst does not.
    rungs = (Rung(None, (Way("trot", 700, 1000),)), Rung(3, (Way("trot", 1, 100),)), Rung(1, ()))
    assert type_of(Ladder(rungs)).percentages().best == 70
    assert fault_codes(type_of(Ladder(rungs))) == ["prizes_too_low"]


@pytest.mark.article("15.II.3", "15.III.4")
def test_other_gates_of_a_probabilistic_type() -> None:
    good = type_of(LADDER)
    assert fault_codes(good) == []
    assert fault_codes(replace(good, prize_percent=Fraction(81))) == ["percentage_mismatch"]
    assert fault_codes(replace(good, tickets=0)) == ["no_tickets"]
    cheap = replace(good, price_cents=19)
    assert "price_out_of_range" in fault_codes(cheap)
    assert "prize_without_value" in fault_codes(replace(good, prizes=(*PRIZES, Prize(0))))
    free = fault_codes(replace(good, price_cents=0))
    assert free == ["price_out_of_range"]


@pytest.mark.article("15.II.3")
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.code)
@pytest.mark.parametrize("choose", [worst_of, any_of, best_of])
def test_the_spread_has_the_mean_of_the_percentages(game: ProbabilisticGame, choose: Any) -> None:
    kind = game.kind
    spread_of = spread(kind.mechanic, kind.prizes, choose)
    assert sum(spread_of.chances.values()) == 1
    assert spread_of.mean_cents == expected_cents(kind.mechanic, kind.prizes, choose)
    assert spread_of.variance > 0


def test_the_spread_of_a_coin() -> None:
    ladder = Ladder((Rung(None, (Way("trot", 1, 2),)), Rung(1, ())))
    coin = spread(ladder, (Prize(200),), worst_of)
    assert coin == Spread({0: Fraction(1, 2), 1: Fraction(1, 2)}, Fraction(100), Fraction(10_000))
    assert [coin.deviation_cents(tickets) for tickets in (0, 1, 2, 10_000)] == [0, 100, 141, 10_000]


def test_a_prize_that_a_way_of_playing_never_wins_is_left_out() -> None:
    ladder = Ladder((Rung(2, (Way("trot", 1, 2),)), Rung(1, ())))
    prizes = (Prize(1000), Prize(100))
    assert [*spread(ladder, prizes, worst_of).chances] == [2]
    assert spread(ladder, prizes, best_of).chances == {0: Fraction(1, 2), 1: Fraction(1, 2)}
    assert spread(ladder, prizes, any_of).chances == {
        0: Fraction(1, 4),
        1: Fraction(1, 4),
        2: Fraction(1, 2),
    }
