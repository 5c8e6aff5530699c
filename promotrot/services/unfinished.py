"""End or list the plays that were left unfinished; a nightly job does it [P11].

A pre-drawn play ends with the prize that lay on its ticket. A probabilistic play without any act
ends with its price due back. Both vouchers are held for the buyer at the Central Office. A play
that was begun can be resumed, and is listed every night until it is; where its premises cannot any
more, two persons at the Central Office end it (`services.office.stopping`) [P19].
"""

import datetime
import json
from collections.abc import Sequence
from typing import Any, Final

from core.database import clock
from core.database.reading.numbers import first_from, within
from core.database.statements import call_function
from core.kernel.days import day_bounds, natural_day
from core.nights.jobs import MOST_LISTED, Outcome
from promotrot.models.play import PlayAct, PlayEnd, PlayTicket
from promotrot.models.voucher import Voucher
from promotrot.selectors.facts import emission_facts
from promotrot.selectors.plays import begun_in, last_night, unfinished
from promotrot.selectors.vouchers import held_vouchers, unconfirmed_vouchers
from promotrot.services.issuing import issues
from promotrot.services.outcomes import stopped_outcome
from promotrot.services.vouchers import claim_days, secrets_erase

NEXT: Final = "next_play"
"""The count that names the first play which a night has not seen."""
GRACE: Final = datetime.timedelta(hours=1)
"""A play so young may still be under way: it is left to the next night."""


def play_end_unfinished(ticket: PlayTicket) -> str | None:
    """End a play in which nobody has acted. Return the cause, or None if it was begun or has ended.

    A repeated call changes nothing.
    """
    return play_end_held(ticket, [])


def play_end_held(ticket: PlayTicket, acts: Sequence[tuple[str, int]]) -> str | None:
    """End a play for its buyer after those acts, pairs of an act and its random integer.

    Its vouchers are held at the Central Office. Return the cause, or None if the play has ended or
    has moved on.
    """
    facts, today = emission_facts(ticket.emission_id), natural_day(clock.now())
    outcome = stopped_outcome(facts, ticket.opening, ticket.position, acts)
    (ended,) = call_function(
        "promotrot_end_held",
        ticket=ticket.pk,
        acts=len(acts),
        day=today,
        claim_days=claim_days(today),
        ending=json.dumps(outcome.document()),
        vouchers=json.dumps([voucher.document() for voucher in issues(outcome, ticket.uuid, None)]),
    )
    return str(outcome.cause) if ended else None


def plays_end_unfinished(day: datetime.date) -> Outcome:
    """End the plays left unfinished by the end of a day, and list every unfinished play.

    Each play has its own transaction. If a run is interrupted, the next run continues. Plays that
    the last night has seen are read again where it left them begun.
    """
    before = day_bounds(day)[1] - GRACE
    first, also = _left_by_the_last(day)
    left = list(unfinished(before, first=first, also=also))
    begun = set(PlayAct.objects.filter(ticket__in=left).values_list("ticket_id", flat=True))
    counts = dict.fromkeys((*PlayEnd.Cause.values, "begun"), 0)
    listed = []
    for ticket in left:
        became = "begun" if ticket.pk in begun else play_end_unfinished(ticket)
        if became is None and not PlayEnd.objects.filter(ticket=ticket).exists():
            became = "begun"  # meanwhile
        if became is not None:
            counts[became] += 1
            listed.append(_row(ticket, became))
    listed.sort(key=lambda row: row["became"] != "begun")  # the next night looks for these
    counts[NEXT] = first_from(PlayTicket, "sold_at", before)
    del counts[PlayEnd.Cause.PLAYED], counts[PlayEnd.Cause.STOPPED]
    return Outcome(counts, {"unfinished": listed[:MOST_LISTED]})


def _left_by_the_last(day: datetime.date) -> tuple[int, list[str]]:
    """Return the id after the plays that the last night saw, and the UUIDs of those left begun.

    All plays are read again where there were more of them than a run keeps.
    """
    last = last_night(before=day)
    if last is None or NEXT not in last.counts or last.counts["begun"] > MOST_LISTED:
        return 0, []
    return last.counts[NEXT], begun_in(last)


def _row(ticket: PlayTicket, became: str) -> dict[str, Any]:
    return {
        "play": str(ticket.uuid),
        "emission": ticket.emission.reference,
        "premises": ticket.premises.code,
        "terminal": ticket.terminal.code,
        "sold_at": ticket.sold_at.isoformat(),
        "became": became,
    }


def secrets_forget(day: datetime.date) -> Outcome:
    """Erase the secrets of days whose papers may not be printed again, so that no one can.

    Return the list of the day's vouchers whose paper is not confirmed, and how many vouchers are
    held at the Central Office [P16].
    """
    erased = secrets_erase()
    rows = unconfirmed_vouchers().filter(within(Voucher, "issued_at", *day_bounds(day)))
    listed = [
        {"voucher": str(row.uuid), "premises": row.premises_id, "cents": row.amount_cents}
        for row in rows[:MOST_LISTED]
    ]
    counts = {"days": erased, "unconfirmed": rows.count(), "held": held_vouchers().count()}
    return Outcome(counts, {"unconfirmed_vouchers": listed})
