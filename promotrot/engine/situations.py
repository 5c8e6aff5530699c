"""Define the situations of a play, its choices and their outcomes with exact chances (15.II.3).

A game is a tree of situations. In each situation the player has choices. Each choice has outcomes
with whole-number weights. A situation holds nothing about earlier prizes of the emission, so no
outcome can depend on them [P3].
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Protocol, Self

from core.kernel.canonical import Json
from core.kernel.documents import Table
from core.kernel.errors import Invalid
from promotrot.engine.rules import Fault

MAX_ACT_CHARS: Final = 40
"""An act is named by so many printable ASCII characters at most, for terminals and records."""

MAX_WEIGHT: Final = 1_000_000_000
"""A weight, or a number of cases, that a definition may state at most."""

_ARTICLE: Final = "15.II.3"


class DrawOutOfRange(Invalid):
    """The random integer is not below the bound of the act."""

    code = "draw_out_of_range"
    message = "The random integer is out of the range of the act."


@dataclass(frozen=True, slots=True)
class Situation:
    """The state of a play: its path so far and, at its end, the tier awarded (0: none)."""

    trail: tuple[int, ...] = ()
    award: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """An outcome of a choice: its weight, what the screen shows, and the next situation.

    `shown` is a tier (0: nothing) in a game of hidden prizes, and a rung (-1: a fall) in a ladder.
    """

    weight: int
    shown: int
    then: Situation


@dataclass(frozen=True, slots=True)
class Choice:
    """A choice of the player. It stands for `acts` acts that all have the same outcomes."""

    name: str
    acts: int
    outcomes: tuple[Outcome, ...]

    @property
    def bound(self) -> int:
        """Return the bound of the act's random integer. It is 1 if the act has one outcome only."""
        return sum(outcome.weight for outcome in self.outcomes)

    def outcome(self, draw: int) -> Outcome:
        """Return the outcome of a random integer. Raises DrawOutOfRange."""
        if 0 <= draw < self.bound:
            for outcome in self.outcomes:
                if draw < outcome.weight:
                    return outcome
                draw -= outcome.weight
        raise DrawOutOfRange


class Mechanic(Protocol):
    """A way of playing a probabilistic game; each has a module in `mechanics`."""

    stopping: ClassVar[str]
    """The name of the choice by which the player stops."""

    @classmethod
    def read(cls, table: Table) -> Self:
        """Return the mechanic of a definition. Raises as the table's methods do."""

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the acts that the texts of the game must name."""

    def choices(self, at: Situation) -> tuple[Choice, ...]:
        """Return the choices of a situation; none if the play is over."""

    def acts(self, choice: Choice, taken: Sequence[str]) -> tuple[str, ...]:
        """Return the names of a choice's acts, given those taken before."""

    def faults(self, tiers: int) -> Iterator[Fault]:
        """Yield the faults that make the definition unplayable with a table of `tiers` tiers."""

    def document(self) -> dict[str, Json]:
        """Return the whole definition, with its kind."""


def certain(name: str, then: Situation) -> Choice:
    """Return a choice of one act with one outcome, which awards its tier."""
    return Choice(name, 1, (Outcome(1, then.award or 0, then),))


def wrong(code: str, detail: str, field: str) -> Fault:
    """Return a fault of a field of the mechanic's definition."""
    return Fault(code, _ARTICLE, detail, f"$.mechanic.{field}")
