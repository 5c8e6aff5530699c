"""Sum the tickets of open contests without reading every ticket every second.

Tickets up to a mark (an id) are summed once. Each reading notes the highest id that is seen, and
the number of the transaction that begins next. Once all transactions that had begun by the reading
after it have ended, no ticket with a lower id can appear any more, and the mark moves up to that
id. This holds on a standby as well: a sequence would be ahead there of the tickets. Nothing from
before the oldest of these contests is read; the sums are begun again when another contest is the
oldest.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from itertools import zip_longest

from django.db import connection

from core.database.reading.asking import fetch_all
from core.database.reading.numbers import NO_END, first_from
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket

_READING = """
SELECT coalesce((SELECT id FROM lototrot_ticket ORDER BY id DESC LIMIT 1), 0),
       pg_snapshot_xmax(s)::text::bigint + age(pg_snapshot_xmax(s)::xid),
       pg_snapshot_xmin(s)::text::bigint
  FROM pg_current_snapshot() s
"""
# `xmax` of a snapshot is only after the last transaction that has ended; `age` counts from there
# to the next one that begins.
_CONTESTS = "SELECT id, coalesce(opened_at, created_at) FROM lototrot_contest WHERE state = ANY(%s)"
_TICKETS = "lototrot_ticket t"
_VOID_TICKETS = "lototrot_void v JOIN lototrot_ticket t ON t.id = v.ticket_id"
_Sums = dict[tuple[int, ...], tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Summed:
    """The sums to keep: the first `keys` columns are a key that begins with the contest.

    `query` selects from `{tickets}`, where `t` is a ticket, those with `{which}`.
    """

    query: str
    keys: int
    states: Collection[Contest.State]


@dataclass(slots=True)
class RunningSums:
    """Sums by key over the tickets that are not void, kept by the process that publishes them.

    `_since` is when the oldest contest went on sale, and `_begin` an id below all its tickets.
    """

    of: Summed
    _mark: int = 0
    _counted: _Sums = field(default_factory=dict)
    _pending: list[tuple[int, int]] = field(default_factory=list)
    _since: datetime | None = None
    _begin: int = 0

    def read(self) -> _Sums:
        """Return the sums of every contest in one of the states, at this instant."""
        with connection.cursor() as cursor:
            cursor.execute(_CONTESTS, [[state.value for state in self.of.states]])
            contests: dict[int, datetime] = dict(cursor.fetchall())
            if not contests:
                return {}
            if self._since != (since := min(contests.values())):
                self._begin_anew(since)
            cursor.execute(_READING)
            newest, beginning, oldest = cursor.fetchone()
        self._advance(oldest)
        # A later reading may move the mark up to this one.
        self._pending.append((newest, beginning))
        sums = _added(self._counted, self._sums(_TICKETS, self._mark, NO_END), 1)
        totals = _added(sums, self._sums(_VOID_TICKETS, self._begin, NO_END), -1)
        return {key: row for key, row in totals.items() if key[0] in contests}

    def _begin_anew(self, since: datetime) -> None:
        self._since, self._begin = since, first_from(Ticket, "sold_at", since) - 1
        self._mark, self._counted, self._pending = self._begin, {}, []

    def _advance(self, oldest: int) -> None:
        """Move the mark up. Every transaction before number `oldest` has ended."""
        readings = zip(self._pending, self._pending[1:], strict=False)
        over = [mark for (mark, _), (_, later) in readings if later <= oldest]
        if over:
            self._counted = _added(self._counted, self._sums(_TICKETS, self._mark, over[-1]), 1)
            self._mark = over[-1]
            self._pending = self._pending[len(over) :]

    def _sums(self, tickets: str, after: int, until: int) -> _Sums:
        query = self.of.query.format(tickets=tickets, which="t.id > %s AND t.id <= %s")
        rows = fetch_all(query, [after, until])
        return {row[: self.of.keys]: row[self.of.keys :] for row in rows}


def _added(left: _Sums, right: _Sums, sign: int) -> _Sums:
    sums = dict(left)
    for key, row in right.items():
        pairs = zip_longest(sums.get(key, ()), row, fillvalue=0)
        sums[key] = tuple(a + sign * b for a, b in pairs)
    return sums
