"""Show Promotrot's sales on the premises' running accounts, and those that earn no commission."""

import datetime
from collections.abc import Iterable

from core.database.reading.asking import fetch_all
from core.ledger.organiser import Part
from core.premises.models import Game
from core.statements.columns import GameMovements
from promotrot.accounts import organiser

_REFUNDED = """
SELECT t.premises_id, (t.sold_at AT TIME ZONE 'Europe/Madrid')::date, sum(t.price_cents)::bigint
  FROM promotrot_playend e JOIN promotrot_playticket t ON t.id = e.ticket_id
 WHERE e.cause = 'refund' AND e.ended_at >= %s AND e.ended_at < %s
 GROUP BY 1, 2 ORDER BY 1, 2
"""


def unearned(
    since: datetime.datetime, until: datetime.datetime
) -> Iterable[tuple[int, datetime.date, int]]:
    """Return the plays whose price is due back: by premises and day of the sale, in cents.

    The office pays them back, not the counter [P11].
    """
    return fetch_all(_REFUNDED, [since, until])


MOVEMENTS: tuple[GameMovements, ...] = (
    GameMovements(
        game=Game.PROMOTROT,
        sales=frozenset({"promotrot.sale"}),
        annulments=frozenset(),
        commission_from=organiser(Part.COMMISSION),
        unearned=unearned,
    ),
)
