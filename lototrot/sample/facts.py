"""Sample meetings: an official programme each, and the facts that arrive during the day.

The facts are those of real trotting rounds; the note in each file says which are invented. The race
day, tests and benchmarks read them.
"""

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from importlib.resources import files
from typing import Any

from lototrot.engine.programme import Programme
from lototrot.engine.programme_json import parse_json

SON_PARDO = "son-pardo"
"""The main day: number 8, which replaces the withdrawn 6 and 7, is in the dead heat of race 4."""
MANACOR = "manacor"
"""The day after: the favourites win, so a jackpot carried into it is won."""
BOTH = "both"
"""Five weeks later, after the first two lapsed: two racecourses, dead heat in the last race."""
MEETINGS = (SON_PARDO, MANACOR, BOTH)


class Outcome(StrEnum):
    """The outcome of a runner. `LEFT` was neither withdrawn nor started [B5].

    Runners with any other outcome but `WITHDRAWN` took the start.
    """

    PLACED = "placed"
    UNPLACED = "unplaced"
    PULLED_UP = "pulled_up"
    DISQUALIFIED = "disqualified"
    WITHDRAWN = "withdrawn"
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class RunnerFacts:
    """A runner of a race.

    `place` is set where `outcome` is PLACED, 1 for each winner. `bet_share_bp` is the share of the
    real bets of the race, in hundredths of 1 %.
    """

    number: int
    outcome: Outcome
    bet_share_bp: int
    place: int | None = None


@dataclass(frozen=True, slots=True)
class RaceFacts:
    """A race; `racecourse` is a code and `race` a number of the programme."""

    racecourse: str
    race: int
    started_at: datetime
    runners: tuple[RunnerFacts, ...]

    @property
    def winners(self) -> tuple[int, ...]:
        """Return the winning number, or several in a dead heat."""
        return tuple(runner.number for runner in self.runners if runner.place == 1)


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A runner that is withdrawn."""

    racecourse: str
    race: int
    number: int


@dataclass(frozen=True, slots=True)
class RaceDay:
    """A meeting: `withdrawals` in the order they arrive, `races` in the order they start."""

    programme: Programme
    note: str
    withdrawals: tuple[Withdrawal, ...]
    races: tuple[RaceFacts, ...]

    def bet_shares(self, without: Collection[Withdrawal] = ()) -> tuple[dict[int, int], ...]:
        """Return, for each race, the bet share in basis points by number; leave out `without`."""
        return tuple(
            {
                runner.number: runner.bet_share_bp
                for runner in race.runners
                if Withdrawal(race.racecourse, race.race, runner.number) not in without
            }
            for race in self.races
        )


def programme_file(name: str, suffix: str = "json") -> bytes:
    """Return the programme file of a racecourse's office. `SON_PARDO` also exists as "csv"."""
    return files("lototrot.sample").joinpath(f"{name}.programme.{suffix}").read_bytes()


def load(name: str) -> RaceDay:
    """Return one of `MEETINGS`. Raises FileNotFoundError for another name."""
    text = files("lototrot.sample").joinpath(f"{name}.raceday.json").read_text("utf-8")
    facts = json.loads(text)
    return RaceDay(
        programme=parse_json(programme_file(name)),
        note=facts["note"],
        withdrawals=tuple(Withdrawal(**withdrawal) for withdrawal in facts["withdrawals"]),
        races=tuple(_race(race) for race in facts["races"]),
    )


def _race(facts: dict[str, Any]) -> RaceFacts:
    runners = (
        RunnerFacts(**{**runner, "outcome": Outcome(runner["outcome"])})
        for runner in facts["runners"]
    )
    started_at = datetime.fromisoformat(facts["started_at"])
    return RaceFacts(facts["racecourse"], facts["race"], started_at, tuple(runners))
