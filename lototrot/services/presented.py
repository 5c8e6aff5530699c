"""A presented ticket as it is shown: its bets, their way over withdrawn horses, what won."""

import dataclasses
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from django.db import connection
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from core.receipts.document import LANGUAGES, Align, Block, Line, Pair, Table
from core.receipts.formats import format_date, format_moment
from lototrot.engine.races import numbers_of, substitute
from lototrot.models.contest import Contest, ContestLeg
from lototrot.models.settlement import Prize
from lototrot.models.tickets import LEG_COLUMNS, Ticket
from lototrot.selectors.races import race_records
from lototrot.services.snapshot import contest_facts


@dataclasses.dataclass(frozen=True, slots=True)
class ShownRace:
    """A race of a contest: what its numbers count on, and who won, as far as is known."""

    position: int
    racecourse: str
    race: int
    traces: dict[int, tuple[int, ...]]
    winners: tuple[int, ...]


def shown_races(contest: Contest) -> tuple[ShownRace, ...]:
    """The races of a contest in order; kept in the process once payment is ordered (8.2)."""
    if contest.state == Contest.State.ORDERED:
        return _final_races(connection.settings_dict["NAME"], contest.pk)
    return _races(contest.pk)


@lru_cache(maxsize=256)
def _final_races(database: str, contest_id: int) -> tuple[ShownRace, ...]:
    return _races(contest_id)


def _races(contest_id: int) -> tuple[ShownRace, ...]:
    legs = list(
        ContestLeg.objects.filter(contest_id=contest_id)
        .select_related("race__racecourse").order_by("position")
    )  # fmt: skip
    records = race_records([leg.race_id for leg in legs])
    shown = []
    for leg in legs:
        facts = records[leg.race_id].facts()
        shown.append(
            ShownRace(
                leg.position, leg.race.racecourse.name, leg.race.number,
                {number: substitute(number, facts) for number in facts.programme},
                tuple(sorted(facts.winners)),
            )
        )  # fmt: skip
    return tuple(shown)


def card(ticket_id: int) -> dict[str, Any]:
    """The ticket as JSON: races with each mark's way and the right ones, and its winning bets."""
    ticket = _ticket(ticket_id)
    contest = ticket.contest
    races = []
    for race, mask in zip(shown_races(contest), ticket.legs(), strict=True):
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
        "contest": contest.pk,
        "premises": ticket.premises.code,
        "day": contest.day.isoformat(),
        "sold_at": ticket.sold_at.isoformat(),
        "bets": ticket.bets,
        "price_cents": ticket.amount_cents,
        "races": races,
        "winning_bets": [{"hits": hits, "bets": bets} for hits, bets in _won(ticket)],
    }


def blocks(ticket_id: int) -> Sequence[Block]:
    """The ticket on a status slip, in the language in force."""
    language = get_language() or LANGUAGES[0]
    ticket = _ticket(ticket_id)
    facts = contest_facts(ticket.contest_id)
    rows = []
    for race, mask in zip(shown_races(ticket.contest), ticket.legs(), strict=True):
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
            aligns=(Align.RIGHT, Align.LEFT, Align.LEFT, Align.RIGHT),
        ),
        *(Pair(_("%(hits)s right") % {"hits": hits}, str(bets)) for hits, bets in _won(ticket)),
    )


def _ticket(ticket_id: int) -> Ticket:
    columns = ("contest", "sold_at", "bets", "quick_legs", "amount_cents", *LEG_COLUMNS)
    found = Ticket.objects.select_related("contest", "premises").only(
        *columns, "contest__state", "contest__day", "premises__code"
    )
    return found.get(pk=ticket_id)


def _won(ticket: Ticket) -> list[tuple[int, int]]:
    """Winning bets by races right, highest first; none until payment is ordered (8.2)."""
    prize = Prize.objects.filter(
        ticket=ticket, settlement__payment_order__contest_id=ticket.contest_id
    ).first()
    if prize is None:
        return []
    top = len(ticket.legs())
    return [(top - place, bets) for place, bets in enumerate(prize.winning_bets) if bets]
