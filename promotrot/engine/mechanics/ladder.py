"""Play on a ladder: stop with the prize reached, or risk it for a higher rung (15.II.3)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Self

from core.kernel.canonical import Json
from core.kernel.documents import MAX_ITEMS, Table
from promotrot.engine.rules import Fault
from promotrot.engine.situations import (
    MAX_ACT_CHARS,
    MAX_WEIGHT,
    Choice,
    Outcome,
    Situation,
    certain,
    wrong,
)

MAX_RUNGS: Final = 64
"""Every situation is evaluated at approval; this bound keeps that under a second."""


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

    @classmethod
    def read(cls, table: Table) -> Self:
        return cls(table.tables("rungs", _rung))

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
            choices.append(certain("stop", Situation((here,), rung.stop)))
        return tuple(choices)

    def acts(self, choice: Choice, taken: Sequence[str]) -> tuple[str, ...]:
        return (choice.name,)

    def faults(self, tiers: int) -> Iterator[Fault]:
        """Yield the faults that make the definition unplayable with a table of `tiers` tiers."""
        top = len(self.rungs) - 1
        if not 0 < top < MAX_RUNGS:
            yield wrong("ladder_length", "A ladder has from one to 63 rungs.", "rungs")
            return
        for at, rung in enumerate(self.rungs):
            place = f"rungs[{at}]"
            if at < top and not rung.ways:
                yield wrong("rung_without_way", "There is no way up from here.", f"{place}.ways")
            if at == top and rung.ways:
                yield wrong("top_with_way", "The last rung has no way up.", f"{place}.ways")
            if at == top and rung.stop is None:
                yield wrong("top_without_prize", "The last rung has a prize.", f"{place}.stop")
            if rung.stop is not None and not 0 <= rung.stop <= tiers:
                yield wrong("prize_unknown", "There is no such prize.", f"{place}.stop")
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
        yield wrong("way_unnamed", "A way up has a short name.", f"{place}.name")
    elif name in taken:
        yield wrong("way_repeated", "A rung has each way up once.", f"{place}.name")
    if not 0 < way.up <= way.of:
        yield wrong("chance_impossible", "A chance is above 0, and 1 at most.", f"{place}.up")
    if not 0 < way.rise <= above:
        yield wrong("way_too_high", "A way leads to a rung above.", f"{place}.rise")
    if not 0 <= way.fall <= tiers:
        yield wrong("prize_unknown", "There is no such prize.", f"{place}.fall")


def _rung(table: Table) -> Rung:
    return Rung(
        stop=table.whole("stop", MAX_ITEMS) if "stop" in table.unread else None,
        ways=table.tables("ways", _way) if "ways" in table.unread else (),
    )


def _way(table: Table) -> Way:
    return Way(
        name=table.text("name"),
        up=table.whole("up", MAX_WEIGHT),
        of=table.whole("of", MAX_WEIGHT),
        rise=table.optional("rise", MAX_ITEMS, default=1),
        fall=table.optional("fall", MAX_ITEMS, default=0),
    )
