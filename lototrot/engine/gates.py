"""List the conditions that a contest must meet before it is put on sale [E8]."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.kernel.regulation import GameFigures
from lototrot.engine.bet_type import BetType


@dataclass(frozen=True, slots=True)
class OpeningFacts:
    """The facts on record about a contest.

    `runners_by_race` has the number of listed runners of each included race, in order. A text is
    empty if nothing is on record. `ticket_layout_authorised` tells that tickets are printed in the
    layout that the model names [E15]. `internal_bet_types` has the codes of the meeting's list, or
    None without a list [E16]. A `correction_window_s` above 0 needs `correction_approval` [E4].
    `has_schedule` is true if a closing time is scheduled [E1]. `figures_of_regulation` is true
    unless the regulation's own bet type has other figures than it has that day [A19].
    """

    federation_approver: str
    federation_reference: str
    federation_dated: bool
    programme_published: bool
    runners_by_race: Sequence[int]
    price_cents: int
    max_bets: int
    rules_published: bool
    percent_published: bool
    ticket_model_authorisation: str
    ticket_layout_authorised: bool
    internal_bet_types: frozenset[str] | None
    correction_window_s: int
    correction_approval: str
    has_schedule: bool
    figures_of_regulation: bool


@dataclass(frozen=True, slots=True)
class MissingGate:
    """A condition that is not met: its stable code, its article, and a sentence."""

    code: str
    article: str
    detail: str


def missing_gates(
    facts: OpeningFacts, bet_type: BetType, figures: GameFigures
) -> tuple[MissingGate, ...]:
    """Return the conditions that are not met. If there is none, the contest may open.

    `figures` are Lototrot's figures in force on the day of the meeting.
    """
    gates = [*_bet_gates(facts, bet_type, figures), *_record_gates(facts)]
    return tuple(gate for is_open, gate in gates if not is_open)


def _bet_gates(
    facts: OpeningFacts, bet_type: BetType, figures: GameFigures
) -> list[tuple[bool, MissingGate]]:
    races = len(facts.runners_by_race)
    empty = [race for race, count in enumerate(facts.runners_by_race, start=1) if count < 1]
    return [
        (
            bet_type.code not in (facts.internal_bet_types or ()),
            MissingGate("bet_type_internal", "14.I.1", "The bet type is one of the internal ones."),
        ),
        (
            figures.price_in_range(facts.price_cents),
            MissingGate("price_out_of_range", "14.III.2", "The price is outside the limits."),
        ),
        (
            facts.max_bets >= 1,
            MissingGate("max_bets_missing", "14.II.2", "The most bets per ticket are not set."),
        ),
        (
            races == bet_type.legs,
            MissingGate("wrong_race_count", "14.III.7", f"{races} races, not {bet_type.legs}."),
        ),
        (
            facts.figures_of_regulation,
            MissingGate(
                "figures_not_of_regulation",
                "14.III.7",
                "The bet type has other figures than the regulation in force on that day.",
            ),
        ),
        (
            not empty,
            MissingGate("runners_missing", "14.III.5.2", f"Races without runners: {empty}."),
        ),
        (
            bet_type.prize_percent >= figures.minimum_prize_percent,
            MissingGate("prize_percent_too_low", "14.III.6.1", "Too little goes to prizes."),
        ),
    ]


def _record_gates(facts: OpeningFacts) -> list[tuple[bool, MissingGate]]:
    approver, reference = facts.federation_approver.strip(), facts.federation_reference.strip()
    return [
        (
            bool(facts.ticket_model_authorisation.strip()),
            MissingGate("ticket_model_missing", "14.II.2", "No authorised ticket model."),
        ),
        (
            facts.ticket_layout_authorised,
            MissingGate(
                "ticket_layout_changed",
                "14.II.2",
                "Tickets are not printed in the layout that the ticket model names.",
            ),
        ),
        (
            facts.internal_bet_types is not None,
            MissingGate(
                "internal_bets_unlisted",
                "14.I.1",
                "The internal bet types of the meeting are not on record.",
            ),
        ),
        (
            facts.correction_window_s == 0 or bool(facts.correction_approval.strip()),
            MissingGate(
                "correction_window_unapproved",
                "14.III.1.4",
                "The authority's approval of the correction window is not on record.",
            ),
        ),
        (
            facts.has_schedule,
            MissingGate("schedule_missing", "14.III.4", "No scheduled closing is set."),
        ),
        (
            bool(approver and reference and facts.federation_dated),
            MissingGate(
                "federation_approval_missing",
                "14.III.5.2",
                "The Federation's approval (who, when, reference) is not on record.",
            ),
        ),
        (
            facts.programme_published,
            MissingGate("programme_unpublished", "14.III.5.2", "The programme is not published."),
        ),
        (
            facts.rules_published,
            MissingGate("rules_unpublished", "14.III.6.2", "The rules are not published."),
        ),
        (
            facts.percent_published,
            MissingGate("percent_unpublished", "14.III.6.2", "The percentage is not published."),
        ),
    ]
