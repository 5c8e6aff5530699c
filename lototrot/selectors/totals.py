"""Sum the takings of contests that are not settled without reading every ticket every second.

Tickets up to a mark (an id) are summed once. Each reading notes the highest id given out so far.
Once all transactions open at that reading have ended, no ticket with a lower id can appear any
more, and the mark moves up to that id. Nothing from before the oldest of these contests is read;
the sums are begun anew when another contest is the oldest. A settled contest has its settlement's.
"""

import threading
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime

from django.db import connection

from core.database.kept import Facts
from lototrot.models.contest import Contest
from lototrot.models.settlement import Settlement
from lototrot.selectors.live_sales import first_ticket_after

_READING = """
SELECT coalesce(pg_sequence_last_value('lototrot_ticket_id_seq'), 0),
       pg_snapshot_xmax(s)::text::bigint, pg_snapshot_xmin(s)::text::bigint
  FROM pg_current_snapshot() s
"""
_SUMS = """
SELECT contest_id, count(*), sum(bets)::bigint, sum(amount_cents)::bigint
  FROM lototrot_ticket WHERE id > %s AND id <= %s GROUP BY 1
"""
_VOIDS = """
SELECT t.contest_id, count(*), sum(t.bets)::bigint, sum(t.amount_cents)::bigint
  FROM lototrot_void v JOIN lototrot_ticket t ON t.id = v.ticket_id
 WHERE v.ticket_id > %s GROUP BY 1
"""
_UNSETTLED = """
SELECT id, coalesce(opened_at, created_at) FROM lototrot_contest
 WHERE state IN ('open', 'stopped', 'closed')
"""
_NO_END = 2**63 - 1
_NONE = (0, 0, 0)
_Sums = dict[int, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Totals:
    """Valid tickets of a contest, their bets and their takings in cents, so far."""

    tickets: int
    bets: int
    takings_cents: int


def contest_totals(contest: Contest) -> Totals:
    """Return the totals of one contest: those of its settlement, or counted now without one."""
    settled = contest.settlements.filter(in_force=True).first()
    if settled:
        return Totals(settled.tickets, settled.bets, settled.takings_cents)
    return all_totals().get(contest.pk, Totals(0, 0, 0))


def totals_of(contests: Collection[Contest]) -> dict[int, Totals]:
    """Return the totals of contests by id: of their settlements, or counted up to now."""
    settled = Settlement.objects.filter(in_force=True, contest__in=contests)
    figures = settled.values_list("contest_id", "tickets", "bets", "takings_cents")
    return all_totals() | {pk: Totals(*rest) for pk, *rest in figures}


def all_totals() -> dict[int, Totals]:
    """Return the totals of every contest that is not settled. Reuse the sums that this process has
    made before.
    """
    with _one_at_a_time:
        running = _of_process.get() or _of_process.put(fact=RunningTotals())
        return running.read()


@dataclass(slots=True)
class RunningTotals:
    """Totals by contest, kept by the process that publishes them.

    `_since` is when the oldest contest went on sale, and `_begin` an id below all its tickets.
    """

    _mark: int = 0
    _counted: _Sums = field(default_factory=dict)
    _pending: list[tuple[int, int]] = field(default_factory=list)
    _since: datetime | None = None
    _begin: int = 0

    def read(self) -> dict[int, Totals]:
        """Return the totals of every contest that is not settled, at this instant."""
        with connection.cursor() as cursor:
            cursor.execute(_UNSETTLED)
            unsettled: dict[int, datetime] = dict(cursor.fetchall())
            if not unsettled:
                return {}
            if self._since != (since := min(unsettled.values())):
                self._begin_anew(since)
            cursor.execute(_READING)
            given_out, beginning, oldest = cursor.fetchone()
            self._advance(oldest)
            # A later reading may move the mark up to this one.
            self._pending.append((given_out, beginning))
            sums = _added(self._counted, self._sums(self._mark, _NO_END), 1)
            cursor.execute(_VOIDS, [self._begin])
            voids = {row[0]: tuple(row[1:]) for row in cursor.fetchall()}
        totals = _added(sums, voids, -1)
        return {pk: Totals(*row) for pk, row in totals.items() if pk in unsettled}

    def _begin_anew(self, since: datetime) -> None:
        self._since, self._begin = since, max(0, first_ticket_after(since))
        self._mark, self._counted, self._pending = self._begin, {}, []

    def _advance(self, oldest: int) -> None:
        """Move the mark up. Every transaction before number `oldest` has ended."""
        readings = zip(self._pending, self._pending[1:], strict=False)
        over = [mark for (mark, _), (_, later) in readings if later <= oldest]
        if over:
            self._counted = _added(self._counted, self._sums(self._mark, over[-1]), 1)
            self._mark = over[-1]
            self._pending = self._pending[len(over) :]

    def _sums(self, after: int, until: int) -> _Sums:
        with connection.cursor() as cursor:
            cursor.execute(_SUMS, [after, until])
            return {row[0]: tuple(row[1:]) for row in cursor.fetchall()}


def _added(left: _Sums, right: _Sums, sign: int) -> _Sums:
    sums = {}
    for pk in left.keys() | right.keys():
        pairs = zip(left.get(pk, _NONE), right.get(pk, _NONE), strict=True)
        sums[pk] = tuple(a + sign * b for a, b in pairs)
    return sums


_of_process: Facts[RunningTotals] = Facts(most=8)
_one_at_a_time = threading.Lock()
