"""Probabilistic games: their state machine, and their exact percentages against other ways to
find them: every way of playing one by one, and a million simulated plays of each strategy
(`PROMOTROT_PLAYS` for fewer)."""

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from itertools import product
from math import sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.kernel.regulation import shipped as regulation
from promotrot.engine.game import ProbabilisticGame
from promotrot.engine.game_json import shipped
from promotrot.engine.mechanics import (
    ActOutOfTurn,
    Choice,
    Deal,
    DrawOutOfRange,
    Hidden,
    Ladder,
    Mechanic,
    Play,
    Rung,
    Situation,
    Way,
    legal_acts,
    perform,
    replay,
)
from promotrot.engine.prize_table import Prize, declarable
from promotrot.engine.strategies import (
    ProbabilisticType,
    any_of,
    best_of,
    expected_cents,
    faults,
    policy,
    worst_of,
)

DAY = date(2026, 11, 20)
FIGURES = regulation().in_force(DAY).promotrot
PLAYS = int(os.environ.get("PROMOTROT_PLAYS", "1000000"))
GAMES = [game for game in shipped() if isinstance(game, ProbabilisticGame)]

PRIZES = (Prize(500), Prize(200), Prize(100))
HIDDEN = Hidden(2, frozenset({0, 3}), (Deal(1, (1, 3, 0)), Deal(4, (2, 3, 0))))
LADDER = Ladder(
    (
        Rung(None, (Way("trot", 4, 5),)),
        Rung(3, (Way("trot", 1, 2), Way("sprint", 1, 4, rise=2, fall=3))),
        Rung(2, (Way("trot", 2, 5, fall=3),)),
        Rung(1, ()),
    )
)
SMALL: list[Mechanic] = [
    HIDDEN,
    LADDER,
    Hidden(3, frozenset({0, 2, 3}), (Deal(2, (1, 2, 3, 0)), Deal(1, (2, 2, 3, 3)))),
    Hidden(1, frozenset(), (Deal(1, (1, 0, 0)), Deal(3, (2, 0, 3)))),
]


# --- the state machine ---------------------------------------------------------------------------


@pytest.mark.article("15.II.3", "15.III.2")
def test_hidden_open_then_keep_or_change() -> None:
    start = Play()
    assert legal_acts(HIDDEN, start) == {"open-1": 15, "open-2": 15, "open-3": 15}
    # Weights in the order of the tiers: nothing 5, top 1, second 4, third 5, of 15.
    shown = Counter(perform(HIDDEN, start, "open-2", draw).steps[0].shown for draw in range(15))
    assert shown == {0: 5, 1: 1, 2: 4, 3: 5}
    small = perform(HIDDEN, start, "open-2", 14)
    assert (small.award, small.steps[-1].shown) == (None, 3)
    assert legal_acts(HIDDEN, small) == {"open-1": 10, "open-3": 10, "keep": 1}
    assert perform(HIDDEN, small, "keep", 0).award == 3
    changed = [perform(HIDDEN, small, "open-1", draw).award for draw in range(10)]
    assert Counter(changed) == {0: 5, 1: 1, 2: 4}


@pytest.mark.article("15.II.3")
def test_hidden_nothing_must_be_changed_and_large_prizes_are_kept() -> None:
    empty = perform(HIDDEN, Play(), "open-1", 0)
    assert (empty.award, empty.steps[0].shown) == (None, 0)
    assert legal_acts(HIDDEN, empty) == {"open-2": 10, "open-3": 10}
    large = perform(HIDDEN, Play(), "open-1", 5)
    assert large.award == 1
    assert legal_acts(HIDDEN, large) == {}


@pytest.mark.article("15.II.3", "15.III.2")
def test_ladder_stop_or_go_on() -> None:
    assert legal_acts(LADDER, Play()) == {"trot": 5}
    assert perform(LADDER, Play(), "trot", 4).award == 0
    first = perform(LADDER, Play(), "trot", 3)
    assert (first.award, first.steps[0].shown) == (None, 1)
    assert legal_acts(LADDER, first) == {"trot": 2, "sprint": 4, "stop": 1}
    assert perform(LADDER, first, "stop", 0).award == 3
    assert perform(LADDER, first, "sprint", 0).award == 1
    fell = perform(LADDER, first, "sprint", 1)
    assert (fell.award, fell.steps[-1].shown) == (3, -1)
    second = perform(LADDER, first, "trot", 0)
    assert legal_acts(LADDER, second) == {"trot": 5, "stop": 1}
    assert [perform(LADDER, second, "trot", d).award for d in range(5)] == [1, 1, 3, 3, 3]


@pytest.mark.article("15.II.3")
@pytest.mark.parametrize(
    ("acts", "act"),
    [
        ([], "keep"),
        ([], "open-0"),
        ([], "open-4"),
        ([], "stop"),
        ([], ""),
        ([("open-1", 14)], "open-1"),
        ([("open-1", 0)], "keep"),
        ([("open-1", 5)], "open-2"),
        ([("open-1", 14), ("keep", 0)], "open-2"),
        ([("open-1", 14), ("keep", 0)], "keep"),
    ],
)
def test_acts_out_of_turn_change_nothing(acts: list[tuple[str, int]], act: str) -> None:
    play = replay(HIDDEN, acts)
    before = replace(play)
    with pytest.raises(ActOutOfTurn) as refused:
        perform(HIDDEN, play, act, 0)
    assert refused.value.code == "act_out_of_turn"
    assert refused.value.data["legal"] == [*legal_acts(HIDDEN, play)]
    assert play == before


@pytest.mark.parametrize(("act", "draw"), [("open-1", 15), ("open-1", -1)])
def test_draws_out_of_range(act: str, draw: int) -> None:
    with pytest.raises(DrawOutOfRange):
        perform(HIDDEN, Play(), act, draw)
    small = perform(HIDDEN, Play(), act, 14)
    with pytest.raises(DrawOutOfRange):
        perform(HIDDEN, small, "keep", 1)


@given(st.sampled_from(SMALL), st.randoms(use_true_random=False))
def test_recorded_acts_lead_to_the_same_play(mechanic: Mechanic, random: Random) -> None:
    play = Play()
    while play.award is None:
        act, bound = random.choice([*legal_acts(mechanic, play).items()])
        play = perform(mechanic, play, act, random.randrange(bound))
        assert replay(mechanic, [(step.act, step.draw) for step in play.steps]) == play
        assert replay(mechanic, [(s.act, s.draw) for s in play.steps[:-1]]).award is None
    assert legal_acts(mechanic, play) == {}


@pytest.mark.article("15.II.3")
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.code)
def test_outcomes_know_nothing_of_what_was_won_before(game: ProbabilisticGame) -> None:
    """[P3] The outcome of an act is a function of the play's own acts and a fresh integer: the
    same after the emission gave its top prize a hundred times as after it gave nothing."""
    mechanic = game.kind.mechanic
    assert set(Play.__dataclass_fields__) == {"steps", "at"}
    assert set(Situation.__dataclass_fields__) == {"trail", "award"}
    first = next(iter(legal_acts(mechanic, Play())))
    bound = legal_acts(mechanic, Play())[first]
    draws = range(0, bound, max(1, bound // 97))
    before = [perform(mechanic, Play(), first, draw) for draw in draws]
    for seed in range(100):
        random, play = Random(seed), Play()
        while play.award is None:
            act, below = random.choice([*legal_acts(mechanic, play).items()])
            play = perform(mechanic, play, act, random.randrange(below))
    assert [perform(mechanic, Play(), first, draw) for draw in draws] == before


# --- exact percentages ---------------------------------------------------------------------------


def _situations(mechanic: Mechanic) -> dict[Situation, tuple[Choice, ...]]:
    found: dict[Situation, tuple[Choice, ...]] = {}
    waiting = [Situation()]
    while waiting:
        at = waiting.pop()
        if at.award is None and at not in found:
            found[at] = mechanic.choices(at)
            waiting += [outcome.then for choice in found[at] for outcome in choice.outcomes]
    return found


def _every_way_of_playing(mechanic: Mechanic) -> Iterator[dict[Situation, Choice]]:
    situations = _situations(mechanic)
    for chosen in product(*situations.values()):
        yield dict(zip(situations, chosen, strict=True))


def _mean_cents(way: Mapping[Situation, Choice], prizes: Sequence[Prize]) -> Fraction:
    """Forwards: the chance of each end, summed. The engine works backwards."""
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


@pytest.mark.article("15.II.3")
def test_hidden_places_are_drawn_as_if_laid_out_beforehand() -> None:
    """Act by act, the chances are those of a deal hidden in random order before the first act."""
    mechanic = Hidden(3, frozenset({0, 2, 3}), (Deal(2, (1, 2, 3, 0)), Deal(1, (2, 2, 3, 3))))
    laid: Counter[tuple[int, ...]] = Counter()
    for deal in mechanic.deals:
        for order in product(range(4), repeat=3):
            if len(set(order)) == 3:
                laid[tuple(deal.contents[place] for place in order)] += deal.weight
    total = sum(laid.values())
    for trail, weight in laid.items():
        chance, at = Fraction(1), Situation()
        for tier in trail:
            if at.award is not None:
                break
            choice = next(c for c in mechanic.choices(at) if c.name == "open")
            outcome = next(o for o in choice.outcomes if o.shown == tier)
            chance *= Fraction(outcome.weight, choice.bound)
            at = outcome.then
        same = sum(w for other, w in laid.items() if other[: len(at.trail)] == at.trail)
        assert chance == Fraction(same, total), (trail, weight)


def _sampler(choice: Choice, random: Random) -> Situation:
    return choice.outcome(random.randrange(choice.bound)).then


@pytest.mark.article("15.II.3", "15.III.6.2")
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.code)
@pytest.mark.parametrize("strategy", ["worst", "random", "best"])
def test_exact_percentages_against_simulation(game: ProbabilisticGame, strategy: str) -> None:
    kind = game.kind
    situations = _situations(kind.mechanic)
    cents = [0, *(prize.value_cents for prize in kind.prizes)]
    random = Random(f"{game.code} {strategy}")
    if strategy == "random":
        pools = {at: [c for c in cs for _ in range(c.acts)] for at, cs in situations.items()}
    else:
        chosen = policy(kind.mechanic, kind.prizes, worst_of if strategy == "worst" else best_of)
        pools = {at: [c for c in cs if c.name == chosen[at]] for at, cs in situations.items()}
    total = squares = 0
    for _ in range(PLAYS):
        at = Situation()
        while at.award is None:
            pool = pools[at]
            at = _sampler(pool[0] if len(pool) == 1 else random.choice(pool), random)
        won = cents[at.award]
        total += won
        squares += won * won
    mean = total / PLAYS
    error = sqrt((squares / PLAYS - mean**2) / PLAYS)
    exact = float(getattr(kind.percentages(), strategy) * kind.price_cents / 100)
    assert abs(mean - exact) <= 4.5 * error


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.code)
def test_plays_by_name_follow_the_same_chances_as_the_tree(game: ProbabilisticGame) -> None:
    """The simulation walks the tree; this plays by the acts' names, as a terminal does."""
    random = Random(game.code)
    cents = [0, *(prize.value_cents for prize in game.kind.prizes)]
    won = []
    for _ in range(5_000):
        play = Play()
        while play.award is None:
            act, bound = random.choice([*legal_acts(game.kind.mechanic, play).items()])
            play = perform(game.kind.mechanic, play, act, random.randrange(bound))
        won.append(cents[play.award])
    mean = sum(won) / len(won)
    error = sqrt(sum((each - mean) ** 2 for each in won)) / len(won)
    exact = float(game.kind.percentages().random * game.kind.price_cents / 100)
    assert abs(mean - exact) <= 4.5 * error


# --- approval ------------------------------------------------------------------------------------


def _kind(mechanic: Mechanic, **changes: object) -> ProbabilisticType:
    kind = ProbabilisticType(Fraction(70), 1000, 100, PRIZES, mechanic)
    if not mechanic.faults(len(PRIZES)):
        kind = replace(kind, prize_percent=declarable(kind.percentages().worst))
    return replace(kind, **changes)  # type: ignore[arg-type]


def _codes(kind: ProbabilisticType) -> list[str]:
    return [fault.code for fault in faults(kind, FIGURES, day=DAY, rules_published=True)]


@pytest.mark.article("15.III.6.2", "15.II.3")
def test_the_worst_way_of_playing_must_reach_seventy() -> None:
    def step(up: int) -> Ladder:
        return Ladder((Rung(None, (Way("trot", up, 1000),)), Rung(3, ())))

    assert _codes(_kind(step(700))) == []
    assert _codes(_kind(step(699))) == ["prizes_too_low"]
    # The best way gives 70 % and far more; the worst does not.
    rungs = (Rung(None, (Way("trot", 700, 1000),)), Rung(3, (Way("trot", 1, 100),)), Rung(1, ()))
    assert _kind(Ladder(rungs)).percentages().best == 70
    assert _codes(_kind(Ladder(rungs))) == ["prizes_too_low"]


@pytest.mark.article("15.II.3", "15.III.4")
def test_other_gates_of_a_probabilistic_type() -> None:
    good = _kind(LADDER)
    assert _codes(good) == []
    assert _codes(replace(good, prize_percent=Fraction(81))) == ["percentage_mismatch"]
    assert _codes(replace(good, tickets=0)) == ["no_tickets"]
    cheap = replace(good, price_cents=19)
    assert "price_out_of_range" in _codes(cheap)
    assert "prize_without_value" in _codes(replace(good, prizes=(*PRIZES, Prize(0))))
    free = _codes(replace(good, price_cents=0))
    assert free == ["price_out_of_range"]


@pytest.mark.parametrize(
    "mechanic",
    [
        Hidden(0, frozenset({0}), (Deal(1, (1, 0)),)),
        Hidden(3, frozenset({0}), (Deal(1, (1, 0)),)),
        Hidden(4, frozenset({0}), (Deal(1, (1, 0, 0, 0, 0)),)),
        Hidden(1, frozenset({0}), (Deal(1, (1, 0)), Deal(1, (1, 0, 0)))),
        Hidden(1, frozenset({0}), (Deal(0, (1, 0)),)),
        Hidden(1, frozenset({0}), (Deal(1, (4, 0)),)),
        Hidden(1, frozenset({0}), ()),
        Ladder((Rung(1, ()),)),
        Ladder((Rung(None, ()), Rung(1, ()))),
        Ladder((Rung(None, (Way("trot", 1, 2),)), Rung(None, ()))),
        Ladder((Rung(None, (Way("trot", 1, 2),)), Rung(4, ()))),
        Ladder((Rung(None, (Way("trot", 3, 2),)), Rung(1, ()))),
        Ladder((Rung(None, (Way("trot", 0, 2),)), Rung(1, ()))),
        Ladder((Rung(None, (Way("trot", 1, 2, rise=2),)), Rung(1, ()))),
        Ladder((Rung(None, (Way("trot", 1, 2, rise=0),)), Rung(1, ()))),
        Ladder((Rung(None, (Way("trot", 1, 2, fall=4),)), Rung(1, ()))),
        Ladder((Rung(None, (Way("stop", 1, 2),)), Rung(1, ()))),
        *(
            Ladder((Rung(None, (Way(name, 1, 2),)), Rung(1, ())))
            for name in ("", "a" * 41, "galop ", "gal\nop", "galòp")
        ),
        Ladder((Rung(None, (Way("trot", 1, 2), Way("trot", 1, 3))), Rung(1, ()))),
        Ladder((Rung(None, (Way("trot", 1, 2),)), Rung(1, (Way("trot", 1, 2),)))),
    ],
    ids=repr,
)
def test_definitions_that_cannot_be_played(mechanic: Mechanic) -> None:
    assert _codes(_kind(mechanic)) == ["mechanic_malformed"]
