"""List and read the pictures of small presentations, apart from the engine."""

from collections.abc import Iterator
from itertools import permutations, product

from promotrot.engine.presentation import Letters, NumberMatch, Numbers, Presentation, Symbols
from promotrot.engine.reveal import Picture

SMALL_SYMBOLS = Symbols(5, 1, 3, ("cap", "whip", "bell"), ("cap", "whip"))
SMALL_LETTERS = Letters(2, 2, ("T", "R", "O", "B"), ("TRO", "BOB", "TT"))
SMALL_NUMBERS = NumberMatch(5, 2, 2, (2, 1))
BETWEEN_NUMBERS = NumberMatch(6, 2, 3, (1,))
SMALL = [SMALL_SYMBOLS, SMALL_LETTERS, SMALL_NUMBERS, BETWEEN_NUMBERS]


def every_picture(presentation: Presentation) -> Iterator[Picture]:
    """Yield every picture that the presentation can have, whether it is fair or not."""
    if isinstance(presentation, NumberMatch):
        numbers = range(1, presentation.highest + 1)
        for winners in permutations(numbers, presentation.winners):
            for yours in permutations(numbers, presentation.yours):
                yield Numbers(winners, yours)
    else:
        yield from product(presentation.signs, repeat=presentation.cells)


def tiers_read(presentation: Presentation, picture: Picture) -> set[int] | None:
    """Return the tiers that a person reads in a picture, by the rules alone, or None if the picture
    is not fair: a sign that only fills the grid appears as often as a winning sign must.
    """
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


def pictures_by_tier(presentation: Presentation) -> dict[int, set[Picture]]:
    """Return the fair pictures of each tier, 0 for those that show no prize."""
    by_tier: dict[int, set[Picture]] = {tier: set() for tier in range(presentation.tiers + 1)}
    for picture in every_picture(presentation):
        tiers = tiers_read(presentation, picture)
        if tiers is not None and len(tiers) < 2:
            by_tier[max(tiers, default=0)].add(picture)
    return by_tier
