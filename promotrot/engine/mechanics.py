"""Define probabilistic games: the player's choices and their outcomes with exact chances (15.II.3).

A game is a tree of situations. In each situation the player has choices. Each choice has outcomes
with whole-number weights. A situation holds nothing about earlier prizes of the emission, so no
outcome can depend on them [P3]. `strategies.py` computes the exact percentages.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final

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

_ARTICLE: Final = "15.II.3"


class ActOutOfTurn(Conflict):
    """The play does not allow this act now."""

    code = "act_out_of_turn"
    message = "This cannot be done at this point of the play."


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
        return (change, _certain("keep", Situation(opened, opened[-1])))

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
            yield _wrong("deal_missing", "There is nothing to hide.", "deals")
            return
        if self.places > MAX_PLACES or len(self.deals) > MAX_DEALS or len(contents) > MAX_CONTENTS:
            yield _wrong("play_too_large", "There are too many places or sets.", "deals")
        if not 1 <= self.openings <= min(MAX_OPENINGS, self.places):
            detail = f"At least one place is opened, and {MAX_OPENINGS} at most."
            yield _wrong("openings_impossible", detail, "openings")
        for at, deal in enumerate(self.deals):
            place = f"deals[{at}]"
            if len(deal.contents) != self.places:
                yield _wrong("deals_differ", "Every set has the same places.", f"{place}.contents")
            if deal.weight < 1:
                yield _wrong("deal_weightless", "Each set has a weight.", f"{place}.weight")
            if not all(0 <= tier <= tiers for tier in deal.contents):
                yield _wrong("prize_unknown", "There is no such prize.", f"{place}.contents")

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


@dataclass(frozen=True, slots=True)
class Way:
    """A way up from a rung. In `up` of `of` cases the play rises `rise` rungs; else it falls to a
    tier and ends.
    """

    name: str
    up: int
    of: int
    rise: int = 1
    fall: int = 0


@dataclass(frozen=True, slots=True)
class Rung:
    """A rung: the tier awarded to a player who stops here (None: no stopping) and the ways up."""

    stop: int | None
    ways: tuple[Way, ...]


@dataclass(frozen=True, slots=True)
class Ladder:
    """A ladder: the player stops with the prize reached or risks it. The last rung has no way
    up.
    """

    stopping: ClassVar = "stop"

    rungs: tuple[Rung, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """Return the acts that the texts of the game must name."""
        return ("stop", *(way.name for rung in self.rungs for way in rung.ways))

    def choices(self, at: Situation) -> tuple[Choice, ...]:
        """Return the choices of a situation; none if the play is over. `trail` has the rungs
        reached.
        """
        if at.award is not None:
            return ()
        here = at.trail[-1] if at.trail else 0
        rung = self.rungs[here]
        choices = [Choice(way.name, 1, self._outcomes(way, here)) for way in rung.ways]
        if rung.stop is not None:
            choices.append(_certain("stop", Situation((here,), rung.stop)))
        return tuple(choices)

    def acts(self, choice: Choice, taken: Sequence[str]) -> tuple[str, ...]:
        return (choice.name,)

    def faults(self, tiers: int) -> Iterator[Fault]:
        """Yield the faults that make the definition unplayable with a table of `tiers` tiers."""
        top = len(self.rungs) - 1
        if not 0 < top < MAX_RUNGS:
            yield _wrong("ladder_length", "A ladder has from one to 63 rungs.", "rungs")
            return
        for at, rung in enumerate(self.rungs):
            place = f"rungs[{at}]"
            if at < top and not rung.ways:
                yield _wrong("rung_without_way", "There is no way up from here.", f"{place}.ways")
            if at == top and rung.ways:
                yield _wrong("top_with_way", "The last rung has no way up.", f"{place}.ways")
            if at == top and rung.stop is None:
                yield _wrong("top_without_prize", "The last rung has a prize.", f"{place}.stop")
            if rung.stop is not None and not 0 <= rung.stop <= tiers:
                yield _wrong("prize_unknown", "There is no such prize.", f"{place}.stop")
            names = ["stop"]
            for number, way in enumerate(rung.ways):
                yield from _way_faults(way, top - at, tiers, names, f"{place}.ways[{number}]")
                names.append(way.name)

    def document(self) -> dict[str, Json]:
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


def _way_faults(
    way: Way, above: int, tiers: int, taken: Sequence[str], place: str
) -> Iterator[Fault]:
    """Yield the faults of a way with `above` rungs above it, whose rung has other ways already."""
    name = way.name
    written = name.isascii() and name.isprintable() and name == name.strip()
    if not (0 < len(name) <= MAX_ACT_CHARS and written):
        yield _wrong("way_unnamed", "A way up has a short name.", f"{place}.name")
    elif name in taken:
        yield _wrong("way_repeated", "A rung has each way up once.", f"{place}.name")
    if not 0 < way.up <= way.of:
        yield _wrong("chance_impossible", "A chance is above 0, and 1 at most.", f"{place}.up")
    if not 0 < way.rise <= above:
        yield _wrong("way_too_high", "A way leads to a rung above.", f"{place}.rise")
    if not 0 <= way.fall <= tiers:
        yield _wrong("prize_unknown", "There is no such prize.", f"{place}.fall")


def _wrong(code: str, detail: str, field: str) -> Fault:
    return Fault(code, _ARTICLE, detail, f"$.mechanic.{field}")


Mechanic = Hidden | Ladder


def _certain(name: str, then: Situation) -> Choice:
    return Choice(name, 1, (Outcome(1, then.award or 0, then),))


@dataclass(frozen=True, slots=True)
class Step:
    """An act of the player on record: its random integer and what the screen showed."""

    act: str
    draw: int
    shown: int


@dataclass(frozen=True, slots=True)
class Play:
    """A play of one ticket: the steps so far and the situation they lead to."""

    steps: tuple[Step, ...] = ()
    at: Situation = field(default_factory=Situation)

    @property
    def award(self) -> int | None:
        """Return the tier awarded (0: none), or None if the play is not over."""
        return self.at.award


def legal_acts(mechanic: Mechanic, play: Play) -> dict[str, int]:
    """Return the acts allowed now, in order, each with the bound of its random integer."""
    taken = [step.act for step in play.steps]
    return {
        act: choice.bound
        for choice in mechanic.choices(play.at)
        for act in mechanic.acts(choice, taken)
    }


def perform(mechanic: Mechanic, play: Play, act: str, draw: int) -> Play:
    """Return the play after an act. `draw`, uniform below the act's bound, decides the outcome.

    Raises ActOutOfTurn, DrawOutOfRange.
    """
    taken = [step.act for step in play.steps]
    for choice in mechanic.choices(play.at):
        if act in mechanic.acts(choice, taken):
            outcome = choice.outcome(draw)
            return Play((*play.steps, Step(act, draw, outcome.shown)), outcome.then)
    raise ActOutOfTurn(legal=[*legal_acts(mechanic, play)])


def replay(mechanic: Mechanic, acts: Iterable[tuple[str, int]]) -> Play:
    """Return the play that recorded acts and their random integers lead to. Raises the same as
    `perform`.
    """
    play = Play()
    for act, draw in acts:
        play = perform(mechanic, play, act, draw)
    return play


def standing(mechanic: Mechanic, play: Play) -> int | None:
    """Return the tier with which the player may stop at this point; None if no prize stands [P19].

    It is the rule for stopping that the game publishes: a ladder's rung, a hidden prize that may be
    kept. A rung on which a player may stop with nothing has no prize.
    """
    stops = (c for c in mechanic.choices(play.at) if c.name == mechanic.stopping)
    return next((choice.outcomes[0].then.award or None for choice in stops), None)
