"""Show a presented ticket: its bets, their substitutions for withdrawn horses, and its hits."""

import dataclasses
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

from django.utils.translation import gettext as _

from core.database.kept import kept
from core.database.statements import run_prepared
from core.receipts.document import Align, Block, Line, Pair, Table, present_language
from core.receipts.formats import format_date, format_moment
from lototrot.engine.races import numbers_of, substitute
from lototrot.models.contest import Contest, ContestLeg
from lototrot.models.tickets import LEG_COLUMNS
from lototrot.selectors.races import race_records
from lototrot.services.contest.facts import contest_facts


@dataclasses.dataclass(frozen=True, slots=True)
class ShownRace:
    """A leg of a contest: the numbers that bets count on, and the winners known so far."""

    position: int
    racecourse: str
    race: int
    traces: dict[int, tuple[int, ...]]
    winners: tuple[int, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class PresentedTicket:
    """A ticket to show.

    `winning_bets`, by category, is empty until payment is ordered (14.III.8.2).
    """

    masks: tuple[int, ...]
    winning_bets: tuple[int, ...]
    contest_id: int
    state: str
    closes_at: datetime
    day: date
    premises: str
    sold_at: datetime
    bets: int
    quick_legs: int
    amount_cents: int

    @property
    def won(self) -> list[tuple[int, int]]:
        """Return the winning bets by number of hits, highest first."""
        legs = len(self.masks)
        return [(legs - wrong, bets) for wrong, bets in enumerate(self.winning_bets) if bets]


COLUMNS = f"""
       ARRAY[{", ".join(f"t.{leg}" for leg in LEG_COLUMNS)}],
       coalesce((SELECT p.winning_bets FROM lototrot_prize p
                  WHERE p.settlement_id = o.settlement_id AND p.ticket_id = t.id), '{{}}'),
       t.contest_id, c.state, c.scheduled_close_at, c.day, m.code, t.sold_at, t.bets,
       t.quick_legs, t.amount_cents
"""
"""The columns for `shown_of`: of ticket `t`, contest `c`, premises `m` and payment order `o`."""
_SHOWN = f"""
SELECT {COLUMNS}
  FROM lototrot_ticket t JOIN lototrot_contest c ON c.id = t.contest_id
  JOIN premises_premises m ON m.id = t.premises_id
  LEFT JOIN lototrot_paymentorder o ON o.contest_id = c.id
 WHERE t.id = %s
"""


def presented_ticket(ticket_id: int) -> PresentedTicket:
    """Return the ticket by one query."""
    return shown_of(run_prepared(_SHOWN, [ticket_id]))


def shown_of(row: Sequence[Any]) -> PresentedTicket:
    """Return the ticket of a row of COLUMNS."""
    masks, winning_bets, *facts = row
    marked = tuple(mask for mask in masks if mask is not None)
    return PresentedTicket(marked, tuple(winning_bets), *facts)


def shown_races(contest_id: int, state: str) -> tuple[ShownRace, ...]:
    """Return the legs of a contest in order. Keep them in the process once payment is ordered."""
    if state == Contest.State.ORDERED:
        return _final_races(contest_id)
    return _races(contest_id)


@kept(most=256)
def _final_races(contest_id: int) -> tuple[ShownRace, ...]:
    return _races(contest_id)


def _races(contest_id: int) -> tuple[ShownRace, ...]:
    legs = list(
        ContestLeg.objects.filter(contest_id=contest_id)
        .select_related("race__racecourse")
        .order_by("position")
    )
    records = race_records([leg.race_id for leg in legs])
    shown_legs = []
    for leg in legs:
        facts = records[leg.race_id].facts()
        shown_legs.append(
            ShownRace(
                leg.position,
                leg.race.racecourse.name,
                leg.race.number,
                {number: substitute(number, facts) for number in facts.programme},
                tuple(sorted(facts.winners)),
            )
        )
    return tuple(shown_legs)


def card(ticket_id: int) -> dict[str, Any]:
    """Return the ticket as JSON: legs with traces of the marks, right numbers, winning bets."""
    return card_of(presented_ticket(ticket_id))


def card_of(ticket: PresentedTicket) -> dict[str, Any]:
    """Return the same of a ticket that is read already."""
    races = []
    of_contest = shown_races(ticket.contest_id, ticket.state)
    for race, mask in zip(of_contest, ticket.masks, strict=True):
        numbers = numbers_of(mask)
        races.append(
            {
                "position": race.position,
                "racecourse": race.racecourse,
                "race": race.race,
                "quick_pick": bool(ticket.quick_legs >> (race.position - 1) & 1),
                "marks": [
                    {"number": number, "trace": list(race.traces[number])} for number in numbers
                ],
                "winners": list(race.winners),
                "right": [n for n in numbers if race.traces[n][-1] in race.winners],
            }
        )
    return {
        "contest": ticket.contest_id,
        "premises": ticket.premises,
        "day": ticket.day.isoformat(),
        "sold_at": _instant(ticket.sold_at),
        "closes_at": _instant(ticket.closes_at) if ticket.state in Contest.UNCLOSED else None,
        "bets": ticket.bets,
        "price_cents": ticket.amount_cents,
        "races": races,
        "winning_bets": [{"hits": hits, "bets": bets} for hits, bets in ticket.won],
    }


def _instant(at: datetime) -> str:
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


def blocks(ticket_id: int) -> Sequence[Block]:
    """Return the ticket as blocks of a status slip, in the active language."""
    language = present_language()
    ticket = presented_ticket(ticket_id)
    facts = contest_facts(ticket.contest_id)
    rows = []
    of_contest = shown_races(ticket.contest_id, ticket.state)
    for race, mask in zip(of_contest, ticket.masks, strict=True):
        marks = " ".join("→".join(map(str, race.traces[number])) for number in numbers_of(mask))
        won = " ".join(map(str, race.winners)) or "-"
        rows.append((str(race.position), f"{race.racecourse} {race.race}", marks, won))
    return (
        Line(f"{facts.game} · {facts.meeting_name}", Align.CENTRE),
        Pair(_("Meeting"), format_date(facts.day, language)),
        Pair(_("Sold"), format_moment(ticket.sold_at, language)),
        Pair(_("Bets"), str(ticket.bets)),
        Table(
            rows=tuple(rows),
            header=(_("Order"), _("Race"), _("Numbers"), _("Winner")),
            aligns=(Align.CENTRE, Align.LEFT, Align.LEFT, Align.RIGHT),
        ),
        *(Pair(_("%(hits)s right") % {"hits": hits}, str(bets)) for hits, bets in ticket.won),
    )
