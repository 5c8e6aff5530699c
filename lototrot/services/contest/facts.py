"""Keep the constant facts of contests on sale in each process, so that a sale does not query them.

Once a contest is on sale they cannot change, because the database refuses it. Everything that
can change is decided inside the SQL statement of the sale.
"""

import dataclasses
import datetime
from typing import Any

from core.database.kept import Facts
from core.kernel.money import percent_text
from lototrot.engine.races import mask_of
from lototrot.engine.selection import Leg, Terms
from lototrot.models.contest import Contest
from lototrot.selectors.contests import contest_get, rules_of
from lototrot.services.contest.code_secrets import secret_of


@dataclasses.dataclass(frozen=True, slots=True)
class LegFacts:
    """A leg with the names that a ticket shows."""

    position: int
    racecourse: str
    race_number: int
    race_name: str
    scheduled_start_at: datetime.datetime
    programme_mask: int


@dataclasses.dataclass(frozen=True, slots=True)
class TicketParts:
    """The parts of a ticket that all of its contest show, as JSON. They are not changed."""

    bet_type: dict[str, Any]
    ticket_model: dict[str, Any]
    meeting: dict[str, Any]
    races: tuple[dict[str, Any], ...]


@dataclasses.dataclass(frozen=True, slots=True)
class ContestFacts:
    """A contest with the names that its tickets show (14.II.3).

    `secret` makes the codes until closing.
    """

    pk: int
    game: str
    bet_type_code: str
    bet_type_name: str
    bet_type_version: int
    prize_percent: str
    day: datetime.date
    meeting_name: str
    price_cents: int
    max_bets: int
    allows_multiple: bool
    correction_window_s: int
    ticket_model_code: str
    ticket_model_version: int
    legs: tuple[LegFacts, ...]
    secret: bytes = dataclasses.field(repr=False)
    ticket_parts: TicketParts = dataclasses.field(init=False, repr=False, compare=False)
    names_races: bool = dataclasses.field(init=False, repr=False, compare=False)
    """Each leg has a racecourse and the number of its race, as a ticket must (14.II.3)."""
    _terms: Terms = dataclasses.field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        named = all(leg.racecourse and leg.race_number for leg in self.legs)
        legs = tuple(Leg(leg.programme_mask, leg.programme_mask) for leg in self.legs)
        object.__setattr__(self, "ticket_parts", _ticket_parts(self))
        object.__setattr__(self, "names_races", named)
        object.__setattr__(self, "_terms", Terms(legs, self.price_cents, self.max_bets))

    def terms(self) -> Terms:
        """Return the terms of sale by the programme. The database checks withdrawn numbers."""
        return self._terms


def _ticket_parts(facts: ContestFacts) -> TicketParts:
    return TicketParts(
        bet_type={
            "code": facts.bet_type_code,
            "version": facts.bet_type_version,
            "name": facts.bet_type_name,
        },
        ticket_model={
            "code": facts.ticket_model_code,
            "version": facts.ticket_model_version,
        },
        meeting={"day": facts.day.isoformat(), "name": facts.meeting_name},
        races=tuple(
            {
                "position": leg.position,
                "racecourse": leg.racecourse,
                "race": leg.race_number,
                "name": leg.race_name,
                "scheduled_start_at": leg.scheduled_start_at.isoformat(),
            }
            for leg in facts.legs
        ),
    )


_kept: Facts[ContestFacts] = Facts(most=256)


def contest_facts(pk: int) -> ContestFacts:
    """Return the facts of a contest. Those of a draft may change and are not kept [E9].

    Raise ContestUnknown.
    """
    in_memory = _kept.get(pk)
    if in_memory is not None:
        return in_memory
    contest = contest_get(pk)
    facts = _facts_of(contest)
    return facts if contest.state == Contest.State.DRAFT else _kept.put(pk, fact=facts)


def _facts_of(contest: Contest) -> ContestFacts:
    rules, model = rules_of(contest.bet_type, contest.day), contest.ticket_model
    rows: Any = contest.legs.select_related("race__racecourse").prefetch_related("race__runners")
    legs = tuple(
        LegFacts(
            position=leg.position,
            racecourse=leg.race.racecourse.name,
            race_number=leg.race.number,
            race_name=leg.race.name,
            scheduled_start_at=leg.race.scheduled_start_at,
            programme_mask=mask_of(runner.number for runner in leg.race.runners.all()),
        )
        for leg in rows
    )
    return ContestFacts(
        pk=contest.pk,
        game="Lototrot",
        bet_type_code=rules.code,
        bet_type_name=rules.name,
        bet_type_version=rules.version,
        prize_percent=percent_text(rules.prize_percent),
        day=contest.day,
        meeting_name=contest.meeting.name,
        price_cents=contest.price_cents,
        max_bets=contest.max_bets,
        allows_multiple=bool(model and model.multiple),
        correction_window_s=contest.correction_window_s,
        ticket_model_code=model.code if model else "",
        ticket_model_version=model.version if model else 0,
        legs=legs,
        secret=secret_of(contest),
    )
