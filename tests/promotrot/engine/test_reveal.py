"""Pictures show exactly the prize, and each that does has the same chance."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import compress, permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.kernel.errors import InvariantBroken
from core.kernel.sampling import Stream
from promotrot.engine.game import PredrawnGame
from promotrot.engine.game_json import shipped
from promotrot.engine.presentation import (
    Letters,
    NumberMatch,
    Numbers,
    Presentation,
    Symbols,
    arrangements,
    faults,
)
from promotrot.engine.reveal import Picture, picture_document, reveal, unranked
from promotrot.engine.shuffle import picture_stream
from tests.support.chi_square import excess_of

SMALL_SYMBOLS = Symbols(5, 1, 3, ("cap", "whip", "bell"), ("cap", "whip"))
SMALL_LETTERS = Letters(2, 2, ("T", "R", "O", "B"), ("TRO", "BOB", "TT"))
SMALL_NUMBERS = NumberMatch(5, 2, 2, (2, 1))
BETWEEN_NUMBERS = NumberMatch(6, 2, 3, (1,))
SMALL = [SMALL_SYMBOLS, SMALL_LETTERS, SMALL_NUMBERS, BETWEEN_NUMBERS]
PREDRAWN = [game for game in shipped() if isinstance(game, PredrawnGame)]


def _source(number: int) -> Stream:
    return Stream(b"test picture", number.to_bytes(8, "big"))


def _everything(presentation: Presentation) -> Iterator[Picture]:
    """Every picture there could be, whatever it shows."""
    if isinstance(presentation, NumberMatch):
        numbers = range(1, presentation.highest + 1)
        for winners in permutations(numbers, presentation.winners):
            for yours in permutations(numbers, presentation.yours):
                yield Numbers(winners, yours)
    else:
        yield from product(presentation.signs, repeat=presentation.cells)


def _reads(presentation: Presentation, picture: Picture) -> set[int] | None:
    """What a person reads in a picture, said again from the rules; None if it is no fair picture:
    a sign that only fills comes up as often as a winning one must."""
    if isinstance(presentation, NumberMatch):
        assert isinstance(picture, Numbers)
        common = sum(number in picture.winners for number in picture.yours)
        return {presentation.matches.index(common) + 1} if common in presentation.matches else set()
    assert not isinstance(picture, Numbers)
    if isinstance(presentation, Letters):
        return {
            number
            for number, word in enumerate(presentation.words, start=1)
            if all(picture.count(letter) >= word.count(letter) for letter in word)
        }
    many = {sign for sign in presentation.signs if picture.count(sign) >= presentation.match}
    if any(picture.count(sign) > presentation.match for sign in many):
        return None
    if many - set(presentation.winning):
        return None
    return {presentation.winning.index(sign) + 1 for sign in many}


def _by_tier(presentation: Presentation) -> dict[int, set[Picture]]:
    found: dict[int, set[Picture]] = {tier: set() for tier in range(presentation.tiers + 1)}
    for picture in _everything(presentation):
        shown = _reads(presentation, picture)
        if shown is not None and len(shown) < 2:
            found[max(shown, default=0)].add(picture)
    return found


@pytest.mark.article("15.II.2")
@pytest.mark.parametrize("presentation", SMALL, ids=repr)
def test_pictures_are_counted_exactly(presentation: Presentation) -> None:
    found = _by_tier(presentation)
    assert {tier: len(pictures) for tier, pictures in found.items()} == {
        tier: presentation.pictures(tier) for tier in found
    }
    assert all(found.values())


@pytest.mark.article("15.II.2")
@pytest.mark.parametrize("presentation", SMALL, ids=repr)
def test_every_picture_of_a_tier_is_drawn_and_each_alike(presentation: Presentation) -> None:
    for tier, pictures in _by_tier(presentation).items():
        drawn = [reveal(presentation, tier, _source(n)) for n in range(20 * len(pictures))]
        assert set(drawn) <= pictures
        assert excess_of(drawn, len(pictures)) < 1 or len(pictures) == 1


def _near_miss(presentation: Presentation, source: Stream) -> Picture:
    """What some sellers do: prefer a losing picture with two of the best sign."""
    for _ in range(2):
        picture = reveal(presentation, 0, source)
        if isinstance(picture, Numbers) or picture.count(SMALL_SYMBOLS.winning[0]) == 2:
            break
    return picture


@pytest.mark.article("15.II.2")
def test_the_same_test_catches_staged_near_misses() -> None:
    losing = SMALL_SYMBOLS.pictures(0)
    draws = range(20 * losing)
    assert excess_of((_near_miss(SMALL_SYMBOLS, _source(n)) for n in draws), losing) > 1
    assert excess_of((reveal(SMALL_SYMBOLS, 0, _source(n)) for n in draws), losing) < 1


@pytest.mark.article("15.II.2", "15.III.2")
@pytest.mark.parametrize("game", PREDRAWN, ids=lambda game: game.code)
def test_shipped_pictures_show_exactly_the_prize(game: PredrawnGame) -> None:
    for tier in range(len(game.kind.tiers) + 1):
        for number in range(150):
            picture = reveal(game.presentation, tier, _source(number))
            assert _reads(game.presentation, picture) == ({tier} if tier else set())


def _losing_by_nearness(presentation: Presentation) -> dict[int, int]:
    """Losing pictures by how near they come to the top prize: numbers in common, or times that the
    first sign of the top prize appears."""
    if isinstance(presentation, NumberMatch):
        return {n: presentation.pictures_with(n) for n in presentation.common(0)}
    words = presentation.words if isinstance(presentation, Letters) else ()
    ways: dict[int, int] = {}
    for count in range(presentation.cells + 1):
        for chosen in product((False, True), repeat=len(words)):
            bounds = list(presentation.bounds(0))
            for word in compress(words, chosen):
                for at, sign in enumerate(presentation.signs):
                    bounds[at] = (max(bounds[at][0], word.count(sign)), bounds[at][1])
            at = presentation.signs.index(_top_sign(presentation))
            low, high = bounds[at]
            bounds[at] = (max(low, count), min(high, count))
            sign_of = -1 if sum(chosen) % 2 else 1
            ways[count] = ways.get(count, 0) + sign_of * arrangements(
                presentation.cells, tuple(bounds)
            )
    return ways


def _top_sign(presentation: Symbols | Letters) -> str:
    return (
        presentation.winning[0] if isinstance(presentation, Symbols) else presentation.words[0][0]
    )


def _nearness(presentation: Presentation, picture: Picture) -> int:
    if isinstance(picture, Numbers):
        return len({*picture.winners} & {*picture.yours})
    assert not isinstance(presentation, NumberMatch)
    return picture.count(_top_sign(presentation))


@pytest.mark.article("15.II.2")
@pytest.mark.parametrize("game", PREDRAWN, ids=lambda game: game.code)
def test_losing_pictures_come_near_as_often_as_chance_says(game: PredrawnGame) -> None:
    exact = _losing_by_nearness(game.presentation)
    total = sum(exact.values())
    assert total == game.presentation.pictures(0)
    seen = Counter(
        _nearness(game.presentation, reveal(game.presentation, 0, _source(n))) for n in range(3_000)
    )
    assert set(seen) <= {count for count, ways in exact.items() if ways}
    for count, ways in exact.items():
        expected = 3_000 * ways / total
        assert abs(seen[count] - expected) <= 5 * (expected + 1) ** 0.5


def test_the_same_source_gives_the_same_picture() -> None:
    game = PREDRAWN[0]
    one = reveal(game.presentation, 1, picture_stream(bytes(32), "x/1", 3, 7))
    assert one == reveal(game.presentation, 1, picture_stream(bytes(32), "x/1", 3, 7))
    others = {
        reveal(game.presentation, 1, picture_stream(bytes(32), "x/1", 3, position))
        for position in range(8, 28)
    }
    assert len(others) == 20


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


@pytest.mark.parametrize("tier", [-1, 3])
def test_no_picture_of_a_tier_there_is_not(tier: int) -> None:
    with pytest.raises(InvariantBroken):
        reveal(SMALL_SYMBOLS, tier, _source(0))


def test_no_endless_search_for_a_picture_that_cannot_be() -> None:
    inside = Letters(2, 2, ("T", "R", "O"), ("TROT", "TRO"))
    assert inside.pictures(1) == 0
    with pytest.raises(InvariantBroken):
        reveal(inside, 1, _source(0))


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
    found = {fault.code for fault in faults(presentation, 2)}
    assert found == {code}


@pytest.mark.parametrize("presentation", [SMALL_SYMBOLS, SMALL_LETTERS, SMALL_NUMBERS], ids=repr)
def test_small_presentations_pass(presentation: Presentation) -> None:
    assert faults(presentation, presentation.tiers) == ()
    kept = [presentation.kept_share(tier) for tier in range(presentation.tiers + 1)]
    assert all(Fraction(0) < share <= 1 for share in kept)


def test_documents_of_pictures_and_rules() -> None:
    assert picture_document(("cap", "bell")) == {"cells": ["cap", "bell"]}
    assert picture_document(Numbers((1, 2), (3, 1))) == {"winners": [1, 2], "yours": [3, 1]}
    kinds = [game.presentation.document() for game in PREDRAWN]
    assert {kind["kind"] for kind in kinds if isinstance(kind, dict)} == {
        "symbols",
        "letters",
        "numbers",
    }
