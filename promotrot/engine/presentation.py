"""Define the pictures of a pre-drawn ticket and count those that show each prize (15.I.1, 15.II.2).

A picture has letters, signs or numbers of the trotting world. It decides nothing: the prize is
fixed before, and the picture is drawn to show that prize and no other [P12]. Pictures are counted
exactly, so that each can be drawn with the same chance (`reveal.py`).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import comb, perm
from typing import Final

from core.kernel.canonical import Json
from promotrot.engine.rules import Fault

Bounds = tuple[tuple[int, int], ...]
"""For each sign, the fewest and the most cells that show it."""

Cells = tuple[str, ...]
"""A picture of cells, row by row: in each, the identifier of a sign, or a letter."""

MAX_WORDS: Final = 10
MIN_KEPT_SHARE: Final = Fraction(1, 20)
"""At least one picture in twenty of those proposed must be kept, or drawing would be slow."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """A picture of numbers: the winners' and the player's, in the order shown."""

    winners: tuple[int, ...]
    yours: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Symbols:
    """A grid in which `match` equal signs win the prize of that sign.

    `winning` has the sign of each tier. `signs` has these and the signs that only fill the grid.
    """

    columns: int
    rows: int
    match: int
    signs: tuple[str, ...]
    winning: tuple[str, ...]

    @property
    def tiers(self) -> int:
        return len(self.winning)

    @property
    def cells(self) -> int:
        return self.columns * self.rows

    @property
    def clear(self) -> bool:
        """Return whether each picture can be read in one way only."""
        return (
            self.match > 1
            and {*self.winning} <= {*self.signs}
            and _distinct(self.signs)
            and _distinct(self.winning)
        )

    def bounds(self, tier: int) -> Bounds:
        """Return how often each sign appears in the pictures of a tier."""
        winner = self.winning[tier - 1] if tier else None
        few, exact = (0, self.match - 1), (self.match, self.match)
        return tuple(exact if sign == winner else few for sign in self.signs)

    def tiers_of(self, picture: Cells) -> frozenset[int]:
        """Return the tiers a picture shows: one if it wins, none if it does not."""
        seen = Counter(picture)
        return frozenset(
            tier for tier, sign in enumerate(self.winning, start=1) if seen[sign] >= self.match
        )

    def pictures(self, tier: int) -> int:
        """Return how many pictures show exactly that tier, or no prize for 0."""
        return arrangements(self.cells, self.bounds(tier))

    def kept_share(self, tier: int) -> Fraction:
        """Return the share that `reveal` keeps of the pictures it proposes for a tier."""
        return Fraction(min(1, self.pictures(tier)))

    def document(self) -> Json:
        """Return the rules for the screens and the public."""
        return {
            "kind": "symbols",
            "columns": self.columns,
            "rows": self.rows,
            "match": self.match,
            "signs": list(self.signs),
            "winning": list(self.winning),
        }


@dataclass(frozen=True, slots=True)
class Letters:
    """Letters that are uncovered one by one. A tier is won by the letters that spell its word."""

    columns: int
    rows: int
    signs: tuple[str, ...]
    words: tuple[str, ...]

    @property
    def tiers(self) -> int:
        return len(self.words)

    @property
    def cells(self) -> int:
        return self.columns * self.rows

    @property
    def clear(self) -> bool:
        spelled = {*"".join(self.words)} <= {*self.signs} and all(self.words)
        few = len(self.words) <= MAX_WORDS
        return spelled and few and _distinct(self.signs) and _distinct(self.words)

    def bounds(self, tier: int) -> Bounds:
        return self._holding((tier,) if tier else ())

    def tiers_of(self, picture: Cells) -> frozenset[int]:
        seen = Counter(picture)
        return frozenset(
            tier for tier, word in enumerate(self.words, start=1) if Counter(word) <= seen
        )

    def pictures(self, tier: int) -> int:
        # Inclusion and exclusion over the other words, which must not be spelled.
        base = (tier,) if tier else ()
        others = [other for other in range(1, self.tiers + 1) if other != tier]
        return sum(
            (-1) ** more * arrangements(self.cells, self._holding(base + besides))
            for more in range(len(others) + 1)
            for besides in combinations(others, more)
        )

    def kept_share(self, tier: int) -> Fraction:
        proposed = arrangements(self.cells, self.bounds(tier))
        return Fraction(self.pictures(tier), proposed) if proposed else Fraction(0)

    def document(self) -> Json:
        return {
            "kind": "letters",
            "columns": self.columns,
            "rows": self.rows,
            "signs": list(self.signs),
            "words": list(self.words),
        }

    def _holding(self, tiers: tuple[int, ...]) -> Bounds:
        needed: Counter[str] = Counter()
        for tier in tiers:
            needed |= Counter(self.words[tier - 1])
        return tuple((needed[sign], self.cells) for sign in self.signs)


@dataclass(frozen=True, slots=True)
class NumberMatch:
    """The winners' numbers against the player's numbers. A certain count in common wins a tier.

    Numbers go from 1 to `highest`, and no number is repeated on a side. `matches` has the count in
    common of each tier. Any other count wins nothing.
    """

    highest: int
    winners: int
    yours: int
    matches: tuple[int, ...]

    @property
    def tiers(self) -> int:
        return len(self.matches)

    @property
    def clear(self) -> bool:
        return _distinct(self.matches) and all(self.pictures_with(n) for n in self.matches)

    def common(self, tier: int) -> tuple[int, ...]:
        """Return how many numbers in common a picture of the tier can have."""
        if tier:
            return (self.matches[tier - 1],)
        most = min(self.winners, self.yours)
        return tuple(n for n in range(most + 1) if n not in self.matches)

    def tiers_of(self, picture: Numbers) -> frozenset[int]:
        common = len({*picture.winners} & {*picture.yours})
        return frozenset(tier for tier, n in enumerate(self.matches, start=1) if n == common)

    def pictures(self, tier: int) -> int:
        return sum(self.pictures_with(common) for common in self.common(tier))

    def pictures_with(self, common: int) -> int:
        """Return how many pictures have exactly that many numbers in common."""
        if not 0 <= common <= min(self.winners, self.yours):
            return 0
        sets = comb(self.winners, common) * comb(self.highest - self.winners, self.yours - common)
        return perm(self.highest, self.winners) * sets * perm(self.yours)

    def kept_share(self, tier: int) -> Fraction:
        return Fraction(min(1, self.pictures(tier)))

    def document(self) -> Json:
        return {
            "kind": "numbers",
            "highest": self.highest,
            "winners": self.winners,
            "yours": self.yours,
            "matches": list(self.matches),
        }


Presentation = Symbols | Letters | NumberMatch


def faults(presentation: Presentation, tiers: int) -> tuple[Fault, ...]:
    """Return the faults that keep a presentation from showing a table of `tiers` tiers."""
    if presentation.tiers != tiers:
        detail = f"The pictures show {presentation.tiers} tiers; the table has {tiers}."
        return (Fault("picture_tiers_differ", "15.II.2", detail, "$.presentation"),)
    if not presentation.clear:
        detail = "Each tier has its own sign, word or quantity, made of the signs there are."
        return (Fault("picture_ambiguous", "15.II.2", detail, "$.presentation"),)
    return tuple(
        Fault(
            "picture_impossible",
            "15.II.2",
            f"Too few pictures show tier {tier} alone.",
            f"$.presentation[{tier}]",
        )
        for tier in range(tiers + 1)
        if presentation.kept_share(tier) < MIN_KEPT_SHARE
    )


def _distinct(items: Sequence[object]) -> bool:
    return len({*items}) == len(items)


@lru_cache(maxsize=65_536)
def arrangements(cells: int, bounds: Bounds) -> int:
    """Return the number of ways to fill `cells` cells with signs, each sign within its bounds."""
    if not bounds:
        return int(cells == 0)
    low, high = bounds[0]
    return sum(
        comb(cells, here) * arrangements(cells - here, bounds[1:])
        for here in range(low, min(high, cells) + 1)
    )
