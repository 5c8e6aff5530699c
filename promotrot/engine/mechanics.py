"""Probabilistic games: what the player may do, what may come of it, and what it gives in the mean.

A game is a tree of *situations*. In each the player has choices; each choice has outcomes with
whole weights. Nothing in a situation tells what was won before in the emission, so no outcome can
depend on it (`15.II.3`) [P3]. strategies.py says what the game gives, exactly.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from core.kernel.canonical import Json
from core.kernel.errors import Conflict, Invalid
from promotrot.engine.rules import Fault

# Every situation is evaluated at approval; these bounds keep that under a second.
MAX_OPENINGS: Final = 3
MAX_CONTENTS: Final = 24
MAX_PLACES: Final = 16
MAX_DEALS: Final = 64
MAX_RUNGS: Final = 64
MAX_ACT_CHARS: Final = 40
"""An act is named by so many printable ASCII characters at most, for terminals and records."""

_MALFORMED: Final = Fault("mechanic_malformed", "15.II.3", "The definition cannot be played.")


class ActOutOfTurn(Conflict):
    """The act is not among those the play allows now."""

    code = "act_out_of_turn"
    message = "This cannot be done at this point of the play."


class DrawOutOfRange(Invalid):
    """The random integer is not below the bound of the act."""

    code = "draw_out_of_range"
    message = "The random integer is out of the range of the act."


@dataclass(frozen=True, slots=True)
class Situation:
    """Where a play stands: what was met so far, and the tier awarded (0: none) once it is over."""

    trail: tuple[int, ...] = ()
    award: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What may come of a choice: its weight, what the screen shows, and where the play stands.

    `shown` is a tier (0: nothing) in a game of hidden prizes, a rung (or -1: a fall) in a ladder.
    """

    weight: int
    shown: int
    then: Situation


@dataclass(frozen=True, slots=True)
class Choice:
    """Acts that come to the same: `acts` of them, with these outcomes in order."""

    name: str
    acts: int
    outcomes: tuple[Outcome, ...]

    @property
    def bound(self) -> int:
        """The random integer of the act is uniform below this; 1 when nothing is left to chance."""
        return sum(outcome.weight for outcome in self.outcomes)

    def outcome(self, draw: int) -> Outcome:
        """The outcome of a random integer. Raises DrawOutOfRange."""
        if 0 <= draw < self.bound:
            for outcome in self.outcomes:
                if draw < outcome.weight:
                    return outcome
                draw -= outcome.weight
        raise DrawOutOfRange


@dataclass(frozen=True, slots=True)
class Deal:
    """Prizes that may lie hidden together, one tier (0: nothing) in each place, and how often."""

    weight: int
    contents: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Hidden:
    """A choice among hidden places: open one, and keep what is there or change it for another.

    A deal is hidden by its weight and in any order alike. At most `openings` places are opened;
    only the tiers in `changeable` may be changed, and nothing (0), where it is among them, must be.
    """

    openings: int
    changeable: frozenset[int]
    deals: tuple[Deal, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """The acts that the texts of the game must name."""
        return ("open", "keep")

    @property
    def places(self) -> int:
        return len(self.deals[0].contents)

    def choices(self, at: Situation) -> tuple[Choice, ...]:
        """What can be done; empty when the play is over. `trail` is the tiers opened."""
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
        return (change, _certain("keep", Situation(opened, opened[-1])))

    def acts(self, choice: Choice, taken: Sequence[str]) -> tuple[str, ...]:
        """The names of a choice's acts: a place not opened yet, or to keep."""
        if choice.name != "open":
            return (choice.name,)
        names = (f"open-{place}" for place in range(1, self.places + 1))
        return tuple(name for name in names if name not in taken)

    def faults(self, tiers: int) -> tuple[Fault, ...]:
        """What keeps the definition from being played with a table of so many tiers."""
        sizes = {len(deal.contents) for deal in self.deals}
        contents = {tier for deal in self.deals for tier in deal.contents}
        sound = (
            len(sizes) == 1
            and len(self.deals) <= MAX_DEALS
            and 1 <= self.openings <= min(MAX_OPENINGS, *sizes)
            and max(sizes) <= MAX_PLACES
            and all(deal.weight > 0 for deal in self.deals)
            and len(contents) <= MAX_CONTENTS
            and all(0 <= tier <= tiers for tier in contents)
        )
        return () if sound else (_MALFORMED,)

    def document(self) -> Json:
        return {
            "kind": "hidden",
            "openings": self.openings,
            "changeable": [*sorted(self.changeable)],
            "deals": [{"weight": d.weight, "contents": list(d.contents)} for d in self.deals],
        }

    def _weights(self, opened: tuple[int, ...]) -> list[tuple[int, int]]:
        """Each tier that may come next, with its weight given all that was opened before."""
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


@dataclass(frozen=True, slots=True)
class Way:
    """A way on from a rung: `up` times in `of` the play rises `rise` rungs, else it falls to a
    tier and ends."""

    name: str
    up: int
    of: int
    rise: int = 1
    fall: int = 0


@dataclass(frozen=True, slots=True)
class Rung:
    """A rung: the tier whoever stops here is awarded (None: no stopping), and the ways on."""

    stop: int | None
    ways: tuple[Way, ...]


@dataclass(frozen=True, slots=True)
class Ladder:
    """Stop with what is won or go on and risk it. The last rung has no ways: its prize is paid."""

    rungs: tuple[Rung, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """The acts that the texts of the game must name."""
        return ("stop", *(way.name for rung in self.rungs for way in rung.ways))

    def choices(self, at: Situation) -> tuple[Choice, ...]:
        """What can be done; empty when the play is over. `trail` is the rungs stood on."""
        if at.award is not None:
            return ()
        here = at.trail[-1] if at.trail else 0
        rung = self.rungs[here]
        found = [Choice(way.name, 1, self._outcomes(way, here)) for way in rung.ways]
        if rung.stop is not None:
            found.append(_certain("stop", Situation((here,), rung.stop)))
        return tuple(found)

    def acts(self, choice: Choice, taken: Sequence[str]) -> tuple[str, ...]:
        return (choice.name,)

    def faults(self, tiers: int) -> tuple[Fault, ...]:
        """What keeps the definition from being played with a table of so many tiers."""
        top = len(self.rungs) - 1
        stops = [rung.stop for rung in self.rungs if rung.stop is not None]
        sound = (
            0 < top < MAX_RUNGS
            and not self.rungs[top].ways
            and self.rungs[top].stop is not None
            and all(rung.ways for rung in self.rungs[:top])
            and all(0 <= tier <= tiers for tier in stops)
            and all(self._sound(rung, at, top, tiers) for at, rung in enumerate(self.rungs))
        )
        return () if sound else (_MALFORMED,)

    def document(self) -> Json:
        return {
            "kind": "ladder",
            "rungs": [
                {
                    "stop": rung.stop,
                    "ways": [
                        {"name": w.name, "up": w.up, "of": w.of, "rise": w.rise, "fall": w.fall}
                        for w in rung.ways
                    ],
                }
                for rung in self.rungs
            ],
        }

    def _outcomes(self, way: Way, here: int) -> tuple[Outcome, ...]:
        there = here + way.rise
        top = there == len(self.rungs) - 1
        reached = Situation((there,), self.rungs[there].stop if top else None)
        up = Outcome(way.up, there, reached)
        down = Outcome(way.of - way.up, -1, Situation((here,), way.fall))
        return tuple(outcome for outcome in (up, down) if outcome.weight)

    @staticmethod
    def _sound(rung: Rung, at: int, top: int, tiers: int) -> bool:
        names = [way.name for way in rung.ways]
        named = all(
            0 < len(name) <= MAX_ACT_CHARS
            and name.isascii()
            and name.isprintable()
            and name == name.strip()
            for name in names
        )
        return (
            named
            and len({*names, "stop"}) == len(names) + 1
            and all(
                0 < way.up <= way.of
                and way.rise > 0
                and at + way.rise <= top
                and 0 <= way.fall <= tiers
                for way in rung.ways
            )
        )


Mechanic = Hidden | Ladder


def _certain(name: str, then: Situation) -> Choice:
    return Choice(name, 1, (Outcome(1, then.award or 0, then),))


@dataclass(frozen=True, slots=True)
class Step:
    """An act of the player as recorded: its random integer and what the screen showed."""

    act: str
    draw: int
    shown: int


@dataclass(frozen=True, slots=True)
class Play:
    """One ticket being played: the steps so far and where they led."""

    steps: tuple[Step, ...] = ()
    at: Situation = field(default_factory=Situation)

    @property
    def award(self) -> int | None:
        """The tier awarded (0: none) once the play is over; None while it is not."""
        return self.at.award


def legal_acts(mechanic: Mechanic, play: Play) -> dict[str, int]:
    """What the player may do now, in order, each with the bound of its random integer."""
    taken = [step.act for step in play.steps]
    return {
        act: choice.bound
        for choice in mechanic.choices(play.at)
        for act in mechanic.acts(choice, taken)
    }


def perform(mechanic: Mechanic, play: Play, act: str, draw: int) -> Play:
    """The play after an act, whose outcome `draw`, uniform below the act's bound, decides.

    Raises ActOutOfTurn, DrawOutOfRange.
    """
    taken = [step.act for step in play.steps]
    for choice in mechanic.choices(play.at):
        if act in mechanic.acts(choice, taken):
            outcome = choice.outcome(draw)
            return Play((*play.steps, Step(act, draw, outcome.shown)), outcome.then)
    raise ActOutOfTurn(legal=[*legal_acts(mechanic, play)])


def replay(mechanic: Mechanic, acts: Iterable[tuple[str, int]]) -> Play:
    """The play that recorded acts and their random integers lead to. Raises as `perform`."""
    play = Play()
    for act, draw in acts:
        play = perform(mechanic, play, act, draw)
    return play
