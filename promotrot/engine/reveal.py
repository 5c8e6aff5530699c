"""Draw the picture of a ticket whose prize is known (15.III.2) [P12].

Every picture that shows exactly the prize has the same chance. If there is no prize, every picture
without a prize has the same chance. So a losing picture is never made to look like a near win.
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

# At least one proposal in twenty is kept (MIN_KEPT_SHARE): 10,000 in vain do not happen by chance.
_MOST_TRIES: Final = 10_000


def reveal(presentation: Presentation, tier: int, source: Stream) -> Picture:
    """Draw a picture of the tier (0: no prize), uniformly from all its pictures.

    The presentation must have passed `presentation.faults`. Raises InvariantBroken for a tier that
    no picture shows.
    """
    if not 0 <= tier <= presentation.tiers:
        raise InvariantBroken("No picture shows this prize.")
    if isinstance(presentation, NumberMatch):
        return _numbers(presentation, tier, source)
    return _cells(presentation, tier, source)


def picture_document(picture: Picture) -> Json:
    """Return the picture in the form that the screen gets and the record of the play stores."""
    if isinstance(picture, Numbers):
        return {"winners": list(picture.winners), "yours": list(picture.yours)}
    return {"cells": list(picture)}


def _cells(presentation: Symbols | Letters, tier: int, source: Stream) -> Cells:
    """Draw uniformly within the bounds, and repeat until the cells show the tier and no other."""
    bounds = presentation.bounds(tier)
    proposed = arrangements(presentation.cells, bounds)
    tiers = {tier} if tier else set()
    for _ in range(_MOST_TRIES if proposed else 0):
        index = source.below(proposed)
        picture = unranked(index, presentation.cells, presentation.signs, bounds)
        if presentation.tiers_of(picture) == tiers:
            return picture
    raise InvariantBroken("No picture shows this prize.")


def _numbers(presentation: NumberMatch, tier: int, source: Stream) -> Numbers:
    """Draw how many numbers are in common, then which ones, then the order of each side.

    The first draw is weighted by the number of pictures.
    """
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
    """Return the arrangement number `index` of those that `presentation.arrangements` counts.

    Signs with the same bounds leave the same number of arrangements, whatever the order of the
    bounds. So each number is computed once and stored under one name for all orders.
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
