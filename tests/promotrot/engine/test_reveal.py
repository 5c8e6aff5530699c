"""Draw pictures that show exactly the prize, each with the same chance."""

from collections import Counter
from itertools import compress, product

import pytest

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
)
from promotrot.engine.reveal import Picture, picture_document, reveal
from promotrot.engine.shuffle import picture_stream
from tests.support.chi_square import excess_of
from tests.support.pictures import (
    SMALL,
    SMALL_SYMBOLS,
    pictures_by_tier,
    tiers_read,
)

PREDRAWN = [game for game in shipped() if isinstance(game, PredrawnGame)]


def _source(number: int) -> Stream:
    return Stream(b"test picture", number.to_bytes(8, "big"))


@pytest.mark.article("15.II.2")
@pytest.mark.parametrize("presentation", SMALL, ids=repr)
def test_every_picture_of_a_tier_is_drawn_and_each_alike(presentation: Presentation) -> None:
    for tier, pictures in pictures_by_tier(presentation).items():
        drawn = [reveal(presentation, tier, _source(n)) for n in range(20 * len(pictures))]
        assert set(drawn) <= pictures
        assert excess_of(drawn, len(pictures)) < 1 or len(pictures) == 1


def _near_miss(presentation: Presentation, source: Stream) -> Picture:
    """Draw as a dishonest seller would: prefer a losing picture with two of the best sign."""
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
            assert tiers_read(game.presentation, picture) == ({tier} if tier else set())


def _losing_by_nearness(presentation: Presentation) -> dict[int, int]:
    """Count losing pictures by their nearness to the top prize: the numbers in common, or how often
    the first sign of the top prize appears.
    """
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


@pytest.mark.parametrize("tier", [-1, 3])
def test_no_picture_of_a_tier_there_is_not(tier: int) -> None:
    with pytest.raises(InvariantBroken):
        reveal(SMALL_SYMBOLS, tier, _source(0))


def test_no_endless_search_for_a_picture_that_cannot_be() -> None:
    inside = Letters(2, 2, ("T", "R", "O"), ("TROT", "TRO"))
    assert inside.pictures(1) == 0
    with pytest.raises(InvariantBroken):
        reveal(inside, 1, _source(0))


def test_documents_of_pictures_and_rules() -> None:
    assert picture_document(("cap", "bell")) == {"cells": ["cap", "bell"]}
    assert picture_document(Numbers((1, 2), (3, 1))) == {"winners": [1, 2], "yours": [3, 1]}
    kinds = [game.presentation.document() for game in PREDRAWN]
    assert {kind["kind"] for kind in kinds if isinstance(kind, dict)} == {
        "symbols",
        "letters",
        "numbers",
    }
