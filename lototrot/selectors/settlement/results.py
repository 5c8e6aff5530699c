"""Return the results on which a contest is settled, or what is missing for them (14.III.5).

The result of a certified public draw comes from the race's record, like any other result.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from core.kernel.canonical import Json
from core.kernel.errors import Conflict
from lototrot.engine.jornada import Jornada
from lototrot.engine.races import NoResult, Race, numbers_of, right_mask
from lototrot.models.contest import Contest, ContestLeg
from lototrot.selectors.jornadas import jornada_of
from lototrot.selectors.races import RaceRecord, race_records

Reader = Callable[[Collection[int]], Mapping[int, RaceRecord]]
"""A function that reads the records of races, by id."""


class ResultsMissing(Conflict):
    """Results are missing. `data["missing"]` lists {code, position, race, numbers} by race."""

    code = "results_missing"
    message = "Not every race of the contest has its official result yet."


class DrawRequired(ResultsMissing):
    """Only certified draws are missing."""

    code = "draw_required"
    message = "A race has no classification: its result comes from a certified draw (14.III.5.4)."


@dataclass(frozen=True, slots=True)
class Missing:
    """A fact that a race lacks before its contest can be settled; `code` names it."""

    code: str
    position: int
    race_id: int
    numbers: tuple[int, ...] = ()

    def to_document(self) -> dict[str, Json]:
        return {
            "code": self.code,
            "position": self.position,
            "race": self.race_id,
            "numbers": [*self.numbers],
        }


@dataclass(frozen=True, slots=True)
class LegResult:
    """A leg of the contest with its official result, established at `official_at`.

    `started_at` is its actual start; None of a race that was not run.
    """

    position: int
    race_id: int
    race: Race
    started_at: datetime | None
    official_at: datetime

    def to_document(self) -> dict[str, Json]:
        """Return the race in the shape of the worked cases, with the right numbers."""
        race = self.race
        sets: dict[str, Json] = {
            name: list[Json](sorted(getattr(race, name)))
            for name in ("withdrawn", "left", "disqualified", "winners")
        }
        return {
            "position": self.position,
            "race": self.race_id,
            "programme": [*race.programme],
            **sets,
            "outcome": str(race.outcome),
            "right": [*numbers_of(right_mask(race))],
            "started_at": self.started_at.isoformat() if self.started_at else None,
            "official_at": self.official_at.isoformat(),
        }


@dataclass(frozen=True, slots=True)
class ContestResults:
    """The results of all legs of a contest, in the order of the ticket."""

    legs: tuple[LegResult, ...]
    jornada: Jornada

    @property
    def right_masks(self) -> tuple[int, ...]:
        """Return, by leg, the mask of the right numbers (14.III.5.4.1, 14.III.9.9)."""
        return tuple(right_mask(leg.race) for leg in self.legs)

    @property
    def results_day(self) -> date:
        """Return the day on which the last result was established [D2].

        A result of the night before the meeting ends is of the meeting's day [B15].
        """
        return self.jornada.day_of(max(leg.official_at for leg in self.legs))

    def to_document(self) -> list[Json]:
        return [leg.to_document() for leg in self.legs]


def contest_results(contest: Contest) -> ContestResults:
    """Return the results for a settlement. Raise ResultsMissing, DrawRequired or WrongWinner."""
    records = _records(contest)
    missing = [gap for position, record in records for gap in _gaps(position, record)]
    if missing:
        only_draws = all(gap.code == DrawRequired.code for gap in missing)
        error = DrawRequired if only_draws else ResultsMissing
        raise error(contest=contest.pk, missing=[gap.to_document() for gap in missing])
    return _results(contest, records)


def settled_results(contest: Contest) -> ContestResults:
    """Return the results of a contest that is settled, as its classifications and draws have them.

    A withdrawal that was entered since, and that no classification has yet, changes none [B14]: it
    only keeps the payment from being ordered. After the order there is none such. Raise as
    `contest_results` does.
    """
    if contest.state == Contest.State.ORDERED:
        return contest_results(contest)
    return _results(contest, _records(contest))


def _results(contest: Contest, records: list[tuple[int, RaceRecord]]) -> ContestResults:
    return ContestResults(
        tuple(
            LegResult(
                position,
                record.race_id,
                record.facts(),
                record.start.actual_start_at if record.start else None,
                _official_at(record),
            )
            for position, record in records
        ),
        jornada_of(contest.meeting),
    )


def results_missing(contest: Contest, read: Reader = race_records) -> tuple[Missing, ...]:
    """Return what keeps the contest from being settled, leg by leg; empty if nothing does.

    A page has its own reader, which reads each race once.
    """
    records = _records(contest, read)
    return tuple(gap for position, record in records for gap in _gaps(position, record))


def _records(contest: Contest, read: Reader = race_records) -> list[tuple[int, RaceRecord]]:
    legs = ContestLeg.objects.filter(contest=contest).order_by("position")
    by_position = list(legs.values_list("position", "race_id"))
    records = read([race for _, race in by_position])
    return [(position, records[race]) for position, race in by_position]


def _gaps(position: int, record: RaceRecord) -> list[Missing]:
    def gap(code: str, *numbers: int) -> Missing:
        return Missing(code, position, record.race_id, numbers)

    gaps = []
    official, declaration = record.classification, record.declaration
    if record.unconfirmed:
        gaps.append(gap("withdrawal_unconfirmed", *record.unconfirmed))
    if official:
        unruled, differing = _unruled(official.runners), _differing(record, official.runners)
        gaps += [gap("ruling_missing", *unruled)] if unruled else []
        gaps += [gap("withdrawals_differ", *differing)] if differing else []
    elif declaration is None:
        gaps.append(gap("classification_missing"))
    elif record.drawn is None:
        gaps.append(gap(DrawRequired.code))
    ran = declaration is None or declaration.kind != declaration.Kind.NOT_RUN
    if ran and record.start is None:
        gaps.append(gap("start_missing"))
    return gaps


def _unruled(runners: list[dict[str, Any]]) -> list[int]:
    """Return the horses left at the start without a recorded ruling [B5]."""
    return [r["number"] for r in runners if r["outcome"] == "left" and not r.get("ruling")]


def _differing(record: RaceRecord, runners: list[dict[str, Any]]) -> list[int]:
    """Return the horses withdrawn in only one of the classification and the confirmed record."""
    withdrawn = {r["number"] for r in runners if r["outcome"] == "withdrawn"}
    return sorted((withdrawn ^ record.withdrawn) - set(record.unconfirmed))


def _official_at(record: RaceRecord) -> datetime:
    """Return when the result was established: announced, or certified as a draw [D2]."""
    if record.classification:
        return record.classification.announced_at
    if record.drawn is None:
        raise NoResult
    return record.drawn.certified_at
