"""Count the pictures of each prize, and refuse presentations that cannot be read."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promotrot.engine.presentation import (
    Letters,
    NumberMatch,
    Presentation,
    Symbols,
    arrangements,
    faults,
)
from promotrot.engine.reveal import unranked
from tests.support.pictures import (
    SMALL,
    SMALL_LETTERS,
    SMALL_NUMBERS,
    SMALL_SYMBOLS,
    pictures_by_tier,
)


@pytest.mark.article("15.II.2")
@pytest.mark.parametrize("presentation", SMALL, ids=repr)
def test_pictures_are_counted_exactly(presentation: Presentation) -> None:
    tiers = pictures_by_tier(presentation)
    assert {tier: len(pictures) for tier, pictures in tiers.items()} == {
        tier: presentation.pictures(tier) for tier in tiers
    }
    assert all(tiers.values())


@given(
    st.integers(0, 5),
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=3),
)
def test_arrangements_are_numbered_without_gaps(cells: int, bounds: list[tuple[int, int]]) -> None:
    signs = "abc"[: len(bounds)]
    fits = {
        word
        for word in product(signs, repeat=cells)
        if all(
            low <= word.count(sign) <= high for sign, (low, high) in zip(signs, bounds, strict=True)
        )
    }
    total = arrangements(cells, tuple(bounds))
    assert total == len(fits)
    assert {unranked(index, cells, signs, tuple(bounds)) for index in range(total)} == fits
    if cells:
        with pytest.raises(IndexError):
            unranked(total, cells, signs, tuple(bounds))


@pytest.mark.article("15.II.2")
@pytest.mark.parametrize(
    ("presentation", "code"),
    [
        (Symbols(3, 3, 3, ("cap", "whip", "bell", "flag"), ("cap", "hat")), "picture_ambiguous"),
        (Symbols(3, 3, 3, ("cap", "whip", "bell", "flag"), ("cap", "cap")), "picture_ambiguous"),
        (Symbols(3, 3, 3, ("cap", "cap", "bell", "flag"), ("cap", "bell")), "picture_ambiguous"),
        (Symbols(3, 3, 1, ("cap", "whip", "bell", "flag"), ("cap", "bell")), "picture_ambiguous"),
        (Symbols(3, 3, 3, ("cap", "whip", "bell", "flag"), ("cap", "bell")), "picture_impossible"),
        (Letters(4, 1, ("T", "R", "O"), ("TROT", "BOX")), "picture_ambiguous"),
        (Letters(4, 1, ("T", "R", "O"), ("TROT", "")), "picture_ambiguous"),
        (Letters(4, 1, ("T", "R", "O"), ("TROT", "ROT")), "picture_impossible"),
        (Letters(4, 1, ("T", "R", "O", "X"), ("TROTTO", "OX")), "picture_impossible"),
        (NumberMatch(30, 6, 6, (7, 6)), "picture_ambiguous"),
        (NumberMatch(30, 6, 6, (6, 6)), "picture_ambiguous"),
        (NumberMatch(7, 6, 6, (6, 4)), "picture_ambiguous"),
        (NumberMatch(7, 6, 6, (6, 5)), "picture_impossible"),
        (NumberMatch(30, 6, 6, (6, 5, 4)), "picture_tiers_differ"),
    ],
)
def test_presentations_refused(presentation: Presentation, code: str) -> None:
    fault_codes = {fault.code for fault in faults(presentation, 2)}
    assert fault_codes == {code}


@pytest.mark.parametrize("presentation", [SMALL_SYMBOLS, SMALL_LETTERS, SMALL_NUMBERS], ids=repr)
def test_small_presentations_pass(presentation: Presentation) -> None:
    assert faults(presentation, presentation.tiers) == ()
    kept = [presentation.kept_share(tier) for tier in range(presentation.tiers + 1)]
    assert all(Fraction(0) < share <= 1 for share in kept)
