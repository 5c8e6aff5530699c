"""The sample meetings: an official programme each, and the facts that arrive during the day.

The facts are those of real trotting rounds; each file says in its note what is real and what is the
sample's own. Nothing here is an engine: the race-day demonstration, tests and benchmarks read it.
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
"""The main day: the dead heat of race 4 is won by who stands in for two withdrawn (6, 7 to 8)."""
MANACOR = "manacor"
"""The day after: the favourites win, so a jackpot carried into it is won."""
BOTH = "both"
"""Five weeks later, after the first two lapsed: two racecourses, dead heat in the last race."""
MEETINGS = (SON_PARDO, MANACOR, BOTH)


class Outcome(StrEnum):
    """What became of a runner. `LEFT`: neither withdrawn nor started [B5]; all else but
    `WITHDRAWN` took the start."""

    PLACED = "placed"
    UNPLACED = "unplaced"
    PULLED_UP = "pulled_up"
    DISQUALIFIED = "disqualified"
    WITHDRAWN = "withdrawn"
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class RunnerFacts:
    """`place` only where `outcome` is PLACED, 1 for each winner; `bet_share_bp`: hundredths of 1 %
    of the real bets of the race."""

    number: int
    outcome: Outcome
    bet_share_bp: int
    place: int | None = None


@dataclass(frozen=True, slots=True)
class RaceFacts:
    """`racecourse` is a code and `race` a number of the programme."""

    racecourse: str
    race: int
    started_at: datetime
    runners: tuple[RunnerFacts, ...]

    @property
    def winners(self) -> tuple[int, ...]:
        """One number, or several in a dead heat."""
        return tuple(runner.number for runner in self.runners if runner.place == 1)


@dataclass(frozen=True, slots=True)
class Withdrawal:
    racecourse: str
    race: int
    number: int


@dataclass(frozen=True, slots=True)
class RaceDay:
    """`withdrawals` in the order they arrive, `races` in the order they start."""

    programme: Programme
    note: str
    withdrawals: tuple[Withdrawal, ...]
    races: tuple[RaceFacts, ...]

    def bet_shares(self, without: Collection[Withdrawal] = ()) -> tuple[dict[int, int], ...]:
        """By race, the bet share in basis points of each number that is not in `without`."""
        return tuple(
            {
                runner.number: runner.bet_share_bp
                for runner in race.runners
                if Withdrawal(race.racecourse, race.race, runner.number) not in without
            }
            for race in self.races
        )


def programme_file(name: str, suffix: str = "json") -> bytes:
    """The programme as a racecourse's office sends it. `SON_PARDO` is there as "csv" too."""
    return files("lototrot.sample").joinpath(f"{name}.programme.{suffix}").read_bytes()


def load(name: str) -> RaceDay:
    """One of `MEETINGS`; raises FileNotFoundError for another name."""
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
