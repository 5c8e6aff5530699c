"""Play for hidden prizes: open a place, keep its content or change it (15.II.3)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Self

from core.kernel.canonical import Json
from core.kernel.documents import MAX_ITEMS, Table
from promotrot.engine.rules import Fault
from promotrot.engine.situations import (
    MAX_WEIGHT,
    Choice,
    Outcome,
    Situation,
    certain,
    wrong,
)

# Every situation is evaluated at approval; these bounds keep that under a second.
MAX_OPENINGS: Final = 3
MAX_CONTENTS: Final = 24
MAX_PLACES: Final = 16
MAX_DEALS: Final = 64


@dataclass(frozen=True, slots=True)
class Deal:
    """A set of prizes that can be hidden together: one tier (0: nothing) for each place, and a
    weight.
    """

    weight: int
    contents: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Hidden:
    """A game of hidden places: the player opens a place and keeps its content or changes it.

    A deal is chosen by its weight, and its contents lie in a uniformly random order. At most
    `openings` places are opened. Only tiers in `changeable` may be changed. Nothing (0), if it is
    in `changeable`, must be changed.
    """

    stopping: ClassVar = "keep"

    openings: int
    changeable: frozenset[int]
    deals: tuple[Deal, ...]

    @classmethod
    def read(cls, table: Table) -> Self:
        return cls(
            openings=table.whole("openings", MAX_ITEMS),
            changeable=frozenset(table.wholes("changeable", MAX_ITEMS)),
            deals=table.tables("deals", _deal),
        )

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the acts that the texts of the game must name."""
        return ("open", "keep")

    @property
    def places(self) -> int:
        return len(self.deals[0].contents)

    def choices(self, at: Situation) -> tuple[Choice, ...]:
        """Return the choices of a situation; none if the play is over. `trail` has the opened
        tiers.
        """
        if at.award is not None:
            return ()
        opened = at.trail
        last = len(opened) + 1 == self.openings
        outcomes = tuple(
            Outcome(
                weight,
                tier,
                Situation((*opened, tier), tier if last or tier not in self.changeable else None),
            )
            for tier, weight in self._weights(opened)
        )
        change = Choice("open", self.places - len(opened), outcomes)
        if not opened or opened[-1] == 0:
            return (change,)
        return (change, certain("keep", Situation(opened, opened[-1])))

    def acts(self, choice: Choice, taken: Sequence[str]) -> tuple[str, ...]:
        """Return the names of a choice's acts: the places not yet opened, or `keep`."""
        if choice.name != "open":
            return (choice.name,)
        names = (f"open-{place}" for place in range(1, self.places + 1))
        return tuple(name for name in names if name not in taken)

    def faults(self, tiers: int) -> Iterator[Fault]:
        """Yield the faults that make the definition unplayable with a table of `tiers` tiers."""
        contents = {tier for deal in self.deals for tier in deal.contents}
        if not self.deals:
            yield wrong("deal_missing", "There is nothing to hide.", "deals")
            return
        if self.places > MAX_PLACES or len(self.deals) > MAX_DEALS or len(contents) > MAX_CONTENTS:
            yield wrong("play_too_large", "There are too many places or sets.", "deals")
        if not 1 <= self.openings <= min(MAX_OPENINGS, self.places):
            detail = f"At least one place is opened, and {MAX_OPENINGS} at most."
            yield wrong("openings_impossible", detail, "openings")
        for at, deal in enumerate(self.deals):
            place = f"deals[{at}]"
            if len(deal.contents) != self.places:
                yield wrong("deals_differ", "Every set has the same places.", f"{place}.contents")
            if deal.weight < 1:
                yield wrong("deal_weightless", "Each set has a weight.", f"{place}.weight")
            if not all(0 <= tier <= tiers for tier in deal.contents):
                yield wrong("prize_unknown", "There is no such prize.", f"{place}.contents")

    def document(self) -> dict[str, Json]:
        return {
            "kind": "hidden",
            "openings": self.openings,
            "changeable": [*sorted(self.changeable)],
            "deals": [{"weight": d.weight, "contents": list(d.contents)} for d in self.deals],
        }

    def _weights(self, opened: tuple[int, ...]) -> list[tuple[int, int]]:
        """Return the weight of each tier that may come next, given the tiers opened before."""
        weights: dict[int, int] = {}
        for deal in self.deals:
            left, weight = list(deal.contents), deal.weight
            for tier in opened:
                weight *= left.count(tier)
                if not weight:
                    break
                left.remove(tier)
            else:
                for tier in left:
                    weights[tier] = weights.get(tier, 0) + weight
        return sorted(weights.items())


def _deal(table: Table) -> Deal:
    return Deal(table.whole("weight", MAX_WEIGHT), table.wholes("contents", MAX_ITEMS))
