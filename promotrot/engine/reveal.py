"""Drawing the picture of a ticket whose prize is known (`15.III.2`) [P12].

Every picture that shows exactly the prize has the same chance; so has every picture that shows
none when there is none. Nothing brings a losing picture nearer to a winning one.
"""

from collections.abc import Sequence
from typing import Final

from core.kernel.canonical import Json
from core.kernel.errors import InvariantBroken
from core.kernel.sampling import Stream
from promotrot.engine.presentation import (
    Bounds,
    Cells,
    Letters,
    NumberMatch,
    Numbers,
    Presentation,
    Symbols,
    arrangements,
)

Picture = Cells | Numbers

# One in twenty proposals is kept or more (MIN_KEPT_SHARE): so many in vain are out of the question.
_MOST_TRIES: Final = 10_000


def reveal(presentation: Presentation, tier: int, source: Stream) -> Picture:
    """A picture of the tier (0: without prize), drawn uniformly from all there are.

    The presentation must have passed `presentation.faults`. Raises InvariantBroken for a tier that
    no picture shows.
    """
    if not 0 <= tier <= presentation.tiers:
        raise InvariantBroken("No picture shows this prize.")
    if isinstance(presentation, NumberMatch):
        return _numbers(presentation, tier, source)
    return _cells(presentation, tier, source)


def picture_document(picture: Picture) -> Json:
    """The picture as a screen gets it and the record of the play keeps it."""
    if isinstance(picture, Numbers):
        return {"winners": list(picture.winners), "yours": list(picture.yours)}
    return {"cells": list(picture)}


def _cells(presentation: Symbols | Letters, tier: int, source: Stream) -> Cells:
    """Uniform among the arrangements within bounds, again until it shows the tier and no other."""
    bounds = presentation.bounds(tier)
    proposed = arrangements(presentation.cells, bounds)
    wanted = {tier} if tier else set()
    for _ in range(_MOST_TRIES if proposed else 0):
        index = source.below(proposed)
        picture = unranked(index, presentation.cells, presentation.signs, bounds)
        if presentation.shown(picture) == wanted:
            return picture
    raise InvariantBroken("No picture shows this prize.")


def _numbers(presentation: NumberMatch, tier: int, source: Stream) -> Numbers:
    """First how many numbers are in common, by how many pictures have that; then which, and last
    the order of each side."""
    index = source.below(presentation.pictures(tier))
    for common in presentation.common(tier):
        ways = presentation.pictures_with(common)
        if index < ways:
            break
        index -= ways
    drawn = [number + 1 for number in source.permutation(presentation.highest)]
    winners = drawn[: presentation.winners]
    others = drawn[presentation.winners : presentation.winners + presentation.yours - common]
    yours = winners[:common] + others
    return Numbers(
        tuple(winners[at] for at in source.permutation(len(winners))),
        tuple(yours[at] for at in source.permutation(len(yours))),
    )


def unranked(index: int, cells: int, signs: Sequence[str], bounds: Bounds) -> Cells:
    """The `index`-th of the arrangements that `presentation.arrangements` counts.

    Signs with the same bounds leave the same number of arrangements, in whatever order the bounds
    come: each is counted once, and under one name for all their orders.
    """
    left = list(bounds)
    picture = []
    for remaining in range(cells - 1, -1, -1):
        ways_after: dict[tuple[int, int], int] = {}
        for at, bound in enumerate(left):
            low, high = bound
            if not high:
                continue
            after = (max(0, low - 1), high - 1)
            if bound not in ways_after:
                rest = sorted((*left[:at], after, *left[at + 1 :]))
                ways_after[bound] = arrangements(remaining, tuple(rest))
            if index < ways_after[bound]:
                picture.append(signs[at])
                left[at] = after
                break
            index -= ways_after[bound]
        else:
            raise IndexError("there are not so many arrangements")
    return tuple(picture)
