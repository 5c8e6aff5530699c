"""Plays left unfinished, as the night finds them [P11].

A pre-drawn one ends with what lay on its ticket; one of a probabilistic game that nobody began ends
with its price due back. Either way the voucher is held for the buyer at the Central Office. One
that was begun stays to be resumed, and is listed every night until it is.
"""

import datetime
import json
from typing import Any, Final

from django.db import connection

from core.database import clock
from core.kernel.days import day_bounds, natural_day
from core.nights.jobs import MOST_LISTED, Outcome
from promotrot.engine.game import PredrawnGame
from promotrot.models.play import PlayAct, PlayEnd, PlayTicket
from promotrot.selectors.plays import unfinished
from promotrot.services.facts import emission_facts
from promotrot.services.issuing import issues
from promotrot.services.outcomes import predrawn_outcome, refund_outcome
from promotrot.services.vouchers import claim_days, secrets_erase, unconfirmed_vouchers

GRACE: Final = datetime.timedelta(hours=1)
"""A play so young may still be under way: it is left to the next night."""


def play_end_unfinished(ticket: PlayTicket) -> str | None:
    """End a play that nobody has begun, now; its cause, None if somebody has or it ended already.

    It may be called again: what has ended stays as it is.
    """
    facts, today = emission_facts(ticket.emission_id), natural_day(clock.now())
    if isinstance(facts.game, PredrawnGame):
        cause = PlayEnd.Cause.UNFINISHED
        outcome = predrawn_outcome(facts, ticket.opening, ticket.position, cause)
    else:
        outcome = refund_outcome(facts)
    held = json.dumps([each.document() for each in issues(outcome, ticket.uuid, None)])
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT promotrot_end_unfinished(p_ticket => %s, p_day => %s, p_claim_days => %s,"
            " p_ending => %s, p_vouchers => %s)",
            [ticket.pk, today, claim_days(today), json.dumps(outcome.document()), held],
        )
        (ended,) = cursor.fetchone()
    return str(outcome.cause) if ended else None


def plays_end_unfinished(day: datetime.date) -> Outcome:
    """End what was left by the end of a day; every unfinished play is listed.

    Each play is a transaction of its own: a run cut off is gone on with by the next.
    """
    left = list(unfinished(day_bounds(day)[1] - GRACE))
    begun = set(PlayAct.objects.filter(ticket__in=left).values_list("ticket_id", flat=True))
    counts = dict.fromkeys((*PlayEnd.Cause.values, "begun"), 0)
    listed = []
    for ticket in left:
        became = "begun" if ticket.pk in begun else play_end_unfinished(ticket)
        if became is not None:
            counts[became] += 1
            listed.append(_row(ticket, became))
    del counts[PlayEnd.Cause.PLAYED]
    return Outcome(counts, {"unfinished": listed[:MOST_LISTED]})


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
    """From now on nobody can make a code of an ended day again; unconfirmed papers are listed."""
    erased = secrets_erase()
    first, after = day_bounds(day)
    rows = unconfirmed_vouchers().filter(issued_at__gte=first, issued_at__lt=after)
    listed = [
        {"voucher": str(each.uuid), "premises": each.premises_id, "cents": each.amount_cents}
        for each in rows[:MOST_LISTED]
    ]
    counts = {"days": erased, "unconfirmed": rows.count()}
    return Outcome(counts, {"unconfirmed_vouchers": listed})
