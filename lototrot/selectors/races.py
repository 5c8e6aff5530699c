"""Return the facts recorded about races, also in the form that the engine reads (14.III.5)."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from core.database.reading.asking import fetch_all
from core.database.reading.rows import read_rows
from core.kernel.days import natural_day
from core.kernel.regulation import shipped
from lototrot.engine.closing import legal_limit
from lototrot.engine.races import Outcome
from lototrot.engine.races import Race as RaceFacts
from lototrot.models.running import Classification, RaceDeclaration, RaceStart, Withdrawal
from lototrot.selectors.draws import CertifiedDraw, RaceDraw, race_draws

_PROGRAMMES = (
    "SELECT race_id, number FROM lototrot_runner WHERE race_id = ANY(%s) ORDER BY race_id, number"
)
_STANDING = "race_id = ANY(%s) AND reversed_at IS NULL ORDER BY number"


class RaceState(StrEnum):
    """The stage that a race has reached."""

    SCHEDULED = "scheduled"
    STARTED = "started"
    DECLARED = "declared"
    DRAWN = "drawn"
    CLASSIFIED = "classified"


@dataclass(frozen=True, slots=True)
class RaceRecord:
    """A race's programme numbers, ascending, and every fact about it that is in force.

    `start` is the newest; `withdrawals` are those not reversed, by number; `draw` is its public
    draw, at whatever stage.
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
        """Return the result of the certified draw, or None."""
        return self.draw.certified if self.draw else None

    @property
    def draw_begun(self) -> bool:
        """Return whether no fact behind the field of the draw may change [B7, B8, B16]."""
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
        """Return the withdrawn numbers that wait for confirmation by a second person."""
        return tuple(w.number for w in self.withdrawals if w.confirmed_at is None)

    @property
    def withdrawn(self) -> frozenset[int]:
        """Return the numbers withdrawn in time: before the start, or by the declaration [B6, B7].

        Withdrawals that a classification was confirmed with, or that the field of a draw was fixed
        with, keep counting, even if a later correction moves the start.
        """
        if self.classification:
            return frozenset(w.number for w in self.withdrawals if w.confirmed_at)
        if self.draw and self.draw.withdrawn is not None:
            return self.draw.withdrawn
        return frozenset(w.number for w in self.withdrawals if self.in_time(w.effective_at))

    @property
    def left(self) -> frozenset[int]:
        """Return the numbers left at the start by the declaration in force [B5].

        One that proves to be withdrawn before the start, also after the declaration, is not left.
        """
        entries = self.declaration.left if self.declaration else ()
        return frozenset(entry["number"] for entry in entries) - self.withdrawn

    @property
    def withdrawn_late(self) -> frozenset[int]:
        """Return the numbers withdrawn only after the start that nobody declared left at it [B5].

        A horse withdrawn in time is one of them once the start proves to be earlier. It is not
        known whether it started.
        """
        if self.start is None:
            return frozenset()
        return frozenset(w.number for w in self.withdrawals) - self.withdrawn - self.left

    @property
    def has_starters(self) -> bool:
        """Return whether some horse is neither withdrawn nor left at the start."""
        return not self.withdrawn | self.left >= set(self.programme)

    def in_time(self, instant: datetime) -> bool:
        """Return whether an instant of withdrawal is before the start (14.III.5.4.1).

        In a race not run, the horses withdrawn by the time of the declaration are not in the draw
        [B7].
        """
        if self.start:
            return instant < self.start.actual_start_at
        return self.declaration is None or instant <= self.declaration.declared_at

    @property
    def draw_due_at(self) -> datetime | None:
        """Return when the two hours for the draw end (14.III.5.4.2); None without a declaration."""
        if self.declaration is None:
            return None
        declared_at = self.declaration.declared_at
        figures = shipped().in_force(natural_day(declared_at))
        return declared_at + timedelta(seconds=figures.draw_within_s)

    def facts(self) -> RaceFacts:
        """Return the race for the engine, as far as it is known.

        Winners are set only once official. A race whose horses are all withdrawn counts as not run
        even before it is declared so [B7].
        """
        if self.classification:
            return classified_facts(self.programme, self.classification.runners)
        withdrawn = self.withdrawn
        if self.declaration:
            return RaceFacts(
                programme=self.programme,
                withdrawn=withdrawn,
                left=self.left,
                winners=frozenset({self.drawn.number} if self.drawn else ()),
                outcome=Outcome(self.declaration.kind),
            )
        nobody = withdrawn == set(self.programme)
        outcome = Outcome.NOT_RUN if nobody else Outcome.RUN
        return RaceFacts(programme=self.programme, withdrawn=withdrawn, outcome=outcome)


def classified_facts(programme: tuple[int, ...], runners: Iterable[dict[str, Any]]) -> RaceFacts:
    """Return the race that a classification's runners describe. Raise RaceMalformed."""
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
    """Return the records of some races, by id, in five queries, or six if one is declared."""
    programmes: dict[int, list[int]] = {race: [] for race in race_ids}
    withdrawals: dict[int, list[Withdrawal]] = {race: [] for race in race_ids}
    races = [[*race_ids]]
    for race, number in fetch_all(_PROGRAMMES, races):
        programmes[race].append(number)
    for withdrawal in read_rows(Withdrawal, _STANDING, races):
        withdrawals[withdrawal.race_id].append(withdrawal)
    starts = {s.race_id: s for s in read_rows(RaceStart, "race_id = ANY(%s) ORDER BY id", races)}
    in_force = "race_id = ANY(%s) AND superseded_at IS NULL"
    declared = {d.race_id: d for d in read_rows(RaceDeclaration, in_force, races)}
    # Only a declaration has a draw announced, and its retraction calls the draw off.
    drawn = race_draws(declared) if declared else {}
    official = read_rows(Classification, "race_id = ANY(%s) AND in_force", races)
    classified = {c.race_id: c for c in official}
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
    """Return the record of one race."""
    return race_records([race_id])[race_id]


def contest_limit(contest_id: int) -> datetime | None:
    """Return the instant from which a bet on the contest is in breach [C6, E3]; None if unknown.

    It is the earliest recorded start of the contest's races, or the declaration that one is not
    run, in real time [E2]. A declaration that was superseded because the race was run later that
    day closed the contest, but puts no bet in breach.
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
