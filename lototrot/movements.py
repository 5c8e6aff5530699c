"""Show Lototrot's sales on the accounts of premises, and which of them earn no commission."""

import datetime
from collections.abc import Iterable

from core.database.reading.asking import fetch_all
from core.database.reading.numbers import numbers
from core.premises.models import Game
from core.statements.columns import GameMovements
from lototrot.accounts import Part, organiser
from lototrot.models.tickets import Void

_VOIDED = """
SELECT t.premises_id, (t.sold_at AT TIME ZONE 'Europe/Madrid')::date, sum(t.amount_cents)::bigint
  FROM lototrot_void v JOIN lototrot_ticket t ON t.id = v.ticket_id
 WHERE v.id >= %s AND v.id < %s AND v.voided_at >= %s AND v.voided_at < %s
 GROUP BY 1, 2 ORDER BY 1, 2
"""


def unearned(
    since: datetime.datetime, until: datetime.datetime
) -> Iterable[tuple[int, datetime.date, int]]:
    """Return the void tickets: by premises and day of the sale, in cents.

    They left the takings, also where the premises took and still owe their price [C6].
    """
    first, after = numbers(Void, "voided_at", since, until)
    return fetch_all(_VOIDED, [first, after, since, until])


MOVEMENTS: tuple[GameMovements, ...] = (
    GameMovements(
        game=Game.LOTOTROT,
        sales=frozenset({"lototrot.sale"}),
        annulments=frozenset({"lototrot.annulment"}),
        commission_from=organiser(Part.COMMISSION),
        unearned=unearned,
    ),
)
