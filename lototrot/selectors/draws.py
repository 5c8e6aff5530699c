"""Where certified public draws plug in (14.III.5.4.2 to 5.4.4).

What keeps the certificates registers one lookup here; while nothing does, no draw is certified,
and a race without a classification has no result.
"""

from collections.abc import Callable, Collection, Mapping

Lookup = Callable[[Collection[int]], Mapping[int, int]]

_lookups: list[Lookup] = []


def register(lookup: Lookup) -> Lookup:
    """Have `lookup` say, of some races, which number each certified draw gave (race id: number)."""
    _lookups.append(lookup)
    return lookup


def drawn_winners(race_ids: Collection[int]) -> dict[int, int]:
    """The number drawn, by race, for those of the races whose draw an inspector has certified."""
    found: dict[int, int] = {}
    for lookup in _lookups:
        found.update(lookup(race_ids))
    return found
