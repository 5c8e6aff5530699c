"""Return race cards: the runners, the withdrawals, and the number on which each bet counts now."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lototrot.engine.races import numbers_of, substitute
from lototrot.models.contest import Contest
from lototrot.models.programme import Meeting, Race, Runner
from lototrot.selectors.races import RaceRecord, race_records


@dataclass(frozen=True, slots=True)
class RunnerCard:
    """A runner.

    `trace` lists the numbers its bets pass through, from its number to the one they count on.
    `form` is its last results as the programme states them.
    """

    runner: Runner
    withdrawn: bool
    unconfirmed: bool
    trace: tuple[int, ...]
    form: str


@dataclass(frozen=True, slots=True)
class RaceCard:
    """A race with the facts recorded about it and its runners by number."""

    race: Race
    conditions: str
    record: RaceRecord
    runners: tuple[RunnerCard, ...]
    winners: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LegCard:
    """A leg of a contest and the numbers that it offers now."""

    position: int
    card: RaceCard
    offered: tuple[int, ...]


def meeting_cards(meeting: Meeting) -> tuple[RaceCard, ...]:
    """Return the cards of a meeting's races by scheduled start."""
    races = meeting.races.select_related("racecourse").prefetch_related("runners")
    ordered = races.order_by("scheduled_start_at", "racecourse__code", "number")
    return race_cards(ordered, meeting.document)


def race_cards(races: Iterable[Race], document: Mapping[str, Any]) -> tuple[RaceCard, ...]:
    """Return the cards of races of one meeting. `document` is the document of its programme."""
    race_rows = list(races)
    records = race_records([race.pk for race in race_rows])
    stated = {(entry["racecourse"], entry["number"]): entry for entry in document.get("races", ())}
    return tuple(
        _card(race, records[race.pk], stated.get((race.racecourse.code, race.number), {}))
        for race in race_rows
    )


def _card(race: Race, record: RaceRecord, stated: Mapping[str, Any]) -> RaceCard:
    facts = record.facts()
    withdrawn = facts.withdrawn
    form = {entry["number"]: entry.get("form", "") for entry in stated.get("runners", ())}
    runners = tuple(
        RunnerCard(
            runner=runner,
            withdrawn=runner.number in withdrawn,
            unconfirmed=runner.number in record.unconfirmed,
            trace=substitute(runner.number, facts),
            form=form.get(runner.number, ""),
        )
        for runner in sorted(race.runners.all(), key=lambda row: row.number)
    )
    return RaceCard(
        race, stated.get("conditions", ""), record, runners, tuple(sorted(facts.winners))
    )


def contest_legs(contest: Contest) -> tuple[LegCard, ...]:
    """Return the legs of a contest in the order of the ticket."""
    legs = list(
        contest.legs.select_related("race__racecourse")
        .prefetch_related("race__runners")
        .order_by("position")
    )
    cards = race_cards([leg.race for leg in legs], contest.meeting.document)
    return tuple(
        LegCard(leg.position, card, numbers_of(mask))
        for leg, card, mask in zip(legs, cards, contest.offered_masks, strict=True)
    )
