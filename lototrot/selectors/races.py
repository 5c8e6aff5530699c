"""What is on record about races, and what the engine makes of it (14.III.5)."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from core.kernel.days import natural_day
from core.kernel.regulation import shipped
from lototrot.engine.closing import legal_limit
from lototrot.engine.races import Outcome
from lototrot.engine.races import Race as RaceFacts
from lototrot.models.programme import Runner
from lototrot.models.running import Classification, RaceDeclaration, RaceStart, Withdrawal
from lototrot.selectors.draws import CertifiedDraw, RaceDraw, race_draws


class RaceState(StrEnum):
    """How far a race has come."""

    SCHEDULED = "scheduled"
    STARTED = "started"
    DECLARED = "declared"
    DRAWN = "drawn"
    CLASSIFIED = "classified"


@dataclass(frozen=True, slots=True)
class RaceRecord:
    """A race's programme numbers, ascending, and every fact about it that stands.

    `start` is the newest; `withdrawals` are those not reversed, by number; `draw` is its public
    draw, however far it has come.
    """

    race_id: int
    programme: tuple[int, ...]
    withdrawals: tuple[Withdrawal, ...]
    start: RaceStart | None
    declaration: RaceDeclaration | None
    classification: Classification | None
    draw: RaceDraw | None

    @property
    def drawn(self) -> CertifiedDraw | None:
        """What its certified draw gave."""
        return self.draw.certified if self.draw else None

    @property
    def draw_begun(self) -> bool:
        """Whether the field of its draw is fixed [B7, B8]."""
        return self.draw is not None and self.draw.begun

    @property
    def state(self) -> RaceState:
        if self.classification:
            return RaceState.CLASSIFIED
        if self.declaration:
            return RaceState.DECLARED if self.drawn is None else RaceState.DRAWN
        return RaceState.STARTED if self.start else RaceState.SCHEDULED

    @property
    def unconfirmed(self) -> tuple[int, ...]:
        """Withdrawn numbers that still wait for the second person."""
        return tuple(w.number for w in self.withdrawals if w.confirmed_at is None)

    @property
    def withdrawn(self) -> frozenset[int]:
        """The numbers withdrawn in time: before the start, or by the declaration [B6, B7].

        Those a classification was confirmed with stay so, whatever start is put on record later.
        """
        if self.classification:
            return frozenset(w.number for w in self.withdrawals if w.confirmed_at)
        return frozenset(w.number for w in self.withdrawals if self.in_time(w.effective_at))

    def in_time(self, instant: datetime) -> bool:
        """Whether a horse withdrawn at an instant was withdrawn before the start (5.4.1).

        In a race not run, those withdrawn by the declaration are out of the draw [B7].
        """
        if self.start:
            return instant < self.start.actual_start_at
        return self.declaration is None or instant <= self.declaration.declared_at

    @property
    def draw_due_at(self) -> datetime | None:
        """When the two hours for the draw end (5.4.2); None without a declaration."""
        if self.declaration is None:
            return None
        declared_at = self.declaration.declared_at
        figures = shipped().in_force(natural_day(declared_at))
        return declared_at + timedelta(seconds=figures.draw_within_s)

    def facts(self) -> RaceFacts:
        """The race as the engine reads it, as far as it is known; winners only once official.

        A race whose horses are all withdrawn has nobody to take the start: until it is declared it
        already counts as not run [B7].
        """
        if self.classification:
            return classified_facts(self.programme, self.classification.runners)
        withdrawn = self.withdrawn
        if self.declaration:
            return RaceFacts(
                programme=self.programme,
                withdrawn=withdrawn,
                left=frozenset(entry["number"] for entry in self.declaration.left),
                winners=frozenset({self.drawn.number} if self.drawn else ()),
                outcome=Outcome(self.declaration.kind),
            )
        nobody = withdrawn == set(self.programme)
        outcome = Outcome.NOT_RUN if nobody else Outcome.RUN
        return RaceFacts(programme=self.programme, withdrawn=withdrawn, outcome=outcome)


def classified_facts(programme: tuple[int, ...], runners: Iterable[dict[str, Any]]) -> RaceFacts:
    """The race that a classification's runners describe. Raises RaceMalformed."""
    sets: dict[str, set[int]] = {}
    for runner in runners:
        sets.setdefault(runner["outcome"], set()).add(runner["number"])
    return RaceFacts(
        programme=programme,
        withdrawn=frozenset(sets.get("withdrawn", ())),
        left=frozenset(sets.get("left", ())),
        disqualified=frozenset(sets.get("disqualified", ())),
        winners=frozenset(sets.get("winner", ())),
    )


def race_records(race_ids: Collection[int]) -> dict[int, RaceRecord]:
    """The records of some races, by id, in a fixed number of queries."""
    programmes: dict[int, list[int]] = {race: [] for race in race_ids}
    withdrawals: dict[int, list[Withdrawal]] = {race: [] for race in race_ids}
    runners = Runner.objects.filter(race__in=race_ids).order_by("race", "number")
    for race, number in runners.values_list("race_id", "number"):
        programmes[race].append(number)
    standing = Withdrawal.objects.filter(race__in=race_ids, reversed_at=None)
    for withdrawal in standing.order_by("number"):
        withdrawals[withdrawal.race_id].append(withdrawal)
    starts = {s.race_id: s for s in RaceStart.objects.filter(race__in=race_ids).order_by("pk")}
    declarations = RaceDeclaration.objects.filter(race__in=race_ids, superseded_at=None)
    declared = {d.race_id: d for d in declarations}
    official = Classification.objects.filter(race__in=race_ids, in_force=True)
    classified = {c.race_id: c for c in official}
    drawn = race_draws(race_ids)
    return {
        race: RaceRecord(
            race_id=race,
            programme=tuple(programmes[race]),
            withdrawals=tuple(withdrawals[race]),
            start=starts.get(race),
            declaration=declared.get(race),
            classification=classified.get(race),
            draw=drawn.get(race),
        )
        for race in race_ids
    }


def race_record(race_id: int) -> RaceRecord:
    """The record of one race."""
    return race_records([race_id])[race_id]


def contest_limit(contest_id: int) -> datetime | None:
    """The instant from which a bet on the contest is in breach, as far as it is known [C6, E3].

    The earliest start on record of its races, or declaration that one is not run, in real time
    [E2]. A declaration superseded because the race was run later that day closed the contest, but
    puts no bet in breach.
    """
    of_contest = {"race__legs__contest_id": contest_id}
    starts = {s.race_id: s for s in RaceStart.objects.filter(**of_contest).order_by("pk")}
    declarations = RaceDeclaration.objects.filter(
        **of_contest, kind=RaceDeclaration.Kind.NOT_RUN, superseded_at=None
    )
    return legal_limit(
        (start.actual_start_at for start in starts.values()),
        declarations.values_list("declared_at", flat=True),
    )
