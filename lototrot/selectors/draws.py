"""Where certified public draws plug in (14.III.5.4.2 to 5.4.4).

What keeps the certificates registers one lookup here; while nothing does, no draw is certified,
and a race without a classification has no result.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class CertifiedDraw:
    """What a certified draw gave a race; `certified_at` is when its result was established [D2]."""

    number: int
    certified_at: datetime


Lookup = Callable[[Collection[int]], Mapping[int, CertifiedDraw]]

_lookups: list[Lookup] = []


def register(lookup: Lookup) -> Lookup:
    """Have `lookup` give, of some races, each certified draw by race id."""
    _lookups.append(lookup)
    return lookup


def certified_draws(race_ids: Collection[int]) -> dict[int, CertifiedDraw]:
    """The draws, by race, of those of the races whose draw an inspector has certified."""
    found: dict[int, CertifiedDraw] = {}
    for lookup in _lookups:
        found.update(lookup(race_ids))
    return found
