"""Return sales by minute and by premises, and silent terminals, for the organiser to watch."""

import dataclasses
import datetime

from core.database import clock
from core.database.reading.asking import fetch_all
from core.database.reading.numbers import first_from
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket

WATCHED = datetime.timedelta(hours=1)
SILENT_AFTER = datetime.timedelta(minutes=15)
_BY_MINUTE = """
SELECT date_trunc('minute', sold_at), count(*), sum(amount_cents)::bigint FROM lototrot_ticket
 WHERE id >= %s AND contest_id = %s AND sold_at >= %s GROUP BY 1 ORDER BY 1
"""
_BY_PREMISES = """
SELECT p.id, p.code, p.name, s.tickets, s.cents FROM premises_premises p JOIN (
    SELECT premises_id, count(*) AS tickets, sum(amount_cents)::bigint AS cents
      FROM lototrot_ticket WHERE id >= %s AND contest_id = %s AND sold_at >= %s GROUP BY 1
     ) s ON s.premises_id = p.id ORDER BY s.cents DESC, p.code LIMIT %s
"""
# A terminal counts as ready to sell once its operator has declared the poster on display.
_SILENT = """
SELECT t.id, t.code, p.code, p.name,
       (SELECT max(k.sold_at) FROM (SELECT sold_at FROM lototrot_ticket
         WHERE terminal_id = t.id ORDER BY id DESC LIMIT 1) k) AS last_sale
  FROM premises_terminal t JOIN premises_premises p ON p.id = t.premises_id
 WHERE t.revoked_at IS NULL
   AND EXISTS (SELECT FROM lototrot_displayacknowledgement d
                WHERE d.contest_id = %s AND d.terminal_id = t.id AND d.acknowledged_at < %s)
   AND NOT EXISTS (SELECT FROM lototrot_ticket k WHERE k.terminal_id = t.id AND k.id >= %s
                      AND k.sold_at >= %s)
 ORDER BY last_sale NULLS FIRST, t.code LIMIT %s
"""


@dataclasses.dataclass(frozen=True, slots=True)
class Minute:
    at: datetime.datetime
    tickets: int
    amount_cents: int


@dataclasses.dataclass(frozen=True, slots=True)
class PremisesSales:
    pk: int
    code: str
    name: str
    tickets: int
    amount_cents: int


@dataclasses.dataclass(frozen=True, slots=True)
class SilentTerminal:
    """A terminal that is ready to sell but has sold nothing lately.

    `last_sale_at` covers all contests.
    """

    pk: int
    code: str
    premises: str
    premises_name: str
    last_sale_at: datetime.datetime | None


def sales_by_minute(contest: Contest) -> list[Minute]:
    """Return the sales of the last hour, one row for every minute."""
    until = contest.closed_at or clock.now()
    since = until - WATCHED
    rows = fetch_all(_BY_MINUTE, [first_from(Ticket, "sold_at", since), contest.pk, since])
    return [Minute(*row) for row in rows]


def sales_by_premises(contest: Contest, *, most: int) -> list[PremisesSales]:
    """Return the premises that sold most in the last hour."""
    since = (contest.closed_at or clock.now()) - WATCHED
    values = [first_from(Ticket, "sold_at", since), contest.pk, since, most]
    return [PremisesSales(*row) for row in fetch_all(_BY_PREMISES, values)]


def silent_terminals(contest: Contest, *, most: int) -> list[SilentTerminal]:
    """Return the terminals that are ready to sell this contest but have sold nothing lately."""
    since = clock.now() - SILENT_AFTER
    values = [contest.pk, since, first_from(Ticket, "sold_at", since), since, most]
    return [SilentTerminal(*row) for row in fetch_all(_SILENT, values)]
