"""Play games of hidden prizes, and refuse those that cannot be played."""

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

from promotrot.engine.mechanics.hidden import Deal, Hidden
from promotrot.engine.plays import Play, legal_acts, perform
from promotrot.engine.situations import Situation
from tests.support.promotrot.small_games import HIDDEN, PRIZES, fault_codes, type_of


@pytest.mark.article("15.II.3", "15.III.2")
def test_hidden_open_then_keep_or_change() -> None:
    start = Play()
    assert legal_acts(HIDDEN, start) == {"open-1": 15, "open-2": 15, "open-3": 15}
    # Weights in the order of the tiers: nothing 5, top 1, second 4, third 5, of 15.
    uncovered = Counter(perform(HIDDEN, start, "open-2", draw).steps[0].shown for draw in range(15))
    assert uncovered == {0: 5, 1: 1, 2: 4, 3: 5}
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


@pytest.mark.article("15.II.3")
def test_hidden_places_are_drawn_as_if_laid_out_beforehand() -> None:
    """Drawing act by act has the chances of a deal that is laid out in random order beforehand."""
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


@pytest.mark.parametrize(
    ("mechanic", "code", "place"),
    [
        (Hidden(0, frozenset({0}), (Deal(1, (1, 0)),)), "openings_impossible", "openings"),
        (Hidden(3, frozenset({0}), (Deal(1, (1, 0)),)), "openings_impossible", "openings"),
        (Hidden(4, frozenset({0}), (Deal(1, (1, 0) * 3),)), "openings_impossible", "openings"),
        (
            Hidden(1, frozenset({0}), (Deal(1, (1, 0)), Deal(1, (1, 0, 0)))),
            "deals_differ",
            "deals[1].contents",
        ),
        (Hidden(1, frozenset({0}), (Deal(0, (1, 0)),)), "deal_weightless", "deals[0].weight"),
        (Hidden(1, frozenset({0}), (Deal(1, (4, 0)),)), "prize_unknown", "deals[0].contents"),
        (Hidden(1, frozenset({0}), (Deal(1, (0,) * 17),)), "play_too_large", "deals"),
        (Hidden(1, frozenset({0}), (Deal(1, (1, 0)),) * 65), "play_too_large", "deals"),
        (Hidden(1, frozenset({0}), ()), "deal_missing", "deals"),
    ],
    ids=repr,
)
def test_definitions_that_cannot_be_played(mechanic: Hidden, code: str, place: str) -> None:
    faults = [*mechanic.faults(len(PRIZES))]
    assert (faults[0].code, faults[0].place) == (code, f"$.mechanic.{place}")
    assert code in fault_codes(type_of(mechanic)), "nothing of it is measured"
