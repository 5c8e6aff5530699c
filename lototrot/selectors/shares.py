"""Compute the share of the bets that is on each horse (14.III.5.3: as marked, not as substituted).

A ticket's bets are divided equally over the numbers that it marks in a leg. While a contest is on
sale its bets are summed as they come; once it is closed they are counted once.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable

from django.conf import settings

from core.database.kept import Facts
from core.database.reading.asking import fetch_all
from lototrot.engine.races import numbers_of
from lototrot.models.contest import Contest
from lototrot.models.tickets import LEG_COLUMNS
from lototrot.selectors.retired import stays
from lototrot.selectors.running import RunningSums, Summed
from lototrot.selectors.totals import voids_of

Shares = list[dict[int, int]]
"""By leg, in the order of the ticket: the share of each marked number, in tenths of 1 %."""

_LEGS = ", ".join(f"({leg}, t.{column})" for leg, column in enumerate(LEG_COLUMNS, start=1))
# Of tickets with the same numbers in a leg: the bets on each of these numbers.
_MARKED = (
    "SELECT t.contest_id, l.leg, l.mask, sum(t.bets / bit_count(l.mask::bit(32)))::bigint"
    f" FROM {{tickets}} CROSS JOIN LATERAL (VALUES {_LEGS}) l(leg, mask)"
    " WHERE l.mask IS NOT NULL AND {which} GROUP BY 1, 2, 3"
)
SUMMED = Summed(_MARKED, keys=3, states=Contest.UNCLOSED)
_OF_ONE = (
    _MARKED.format(
        tickets="lototrot_ticket t",
        which="t.contest_id = %(contest)s AND NOT EXISTS"
        f" (SELECT FROM lototrot_void v WHERE v.ticket_id = t.id) AND {stays()}",
    )
    # What left with a retired month is summed by number: as a mask of only this number.
    + " UNION ALL SELECT k.contest_id, k.leg, 1 << (k.number - 1), k.bets"
    " FROM lototrot_left_by_number k WHERE k.contest_id = %(contest)s"
)


def shares_count(contests: Iterable[Contest]) -> None:
    """Sum the bets made since the last time, and count each contest that has closed."""
    if settings.SHARES_BEFORE_CLOSING:
        running = _running.get() or _running.put(fact=RunningSums(SUMMED))
        marked: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for (contest_id, leg, mask), (bets,) in running.read().items():
            marked[contest_id].append((leg, mask, bets))
        _open.put(fact={pk: _shares(rows) for pk, rows in marked.items()})
    for contest in contests:
        key = _key(contest)
        if contest.state not in Contest.UNCLOSED and _closed.get(*key) is None:
            rows = fetch_all(_OF_ONE, {"contest": contest.pk})
            _closed.put(*key, fact=_shares(row[1:] for row in rows))


def shares_open(contest: Contest) -> Shares:
    """Return the shares of a contest on sale as last counted, if they may be shown."""
    return (_open.get() or {}).get(contest.pk, [])


def shares_closed(contest: Contest) -> Shares:
    """Return the shares of a closed contest, if they are counted."""
    return _closed.get(*_key(contest)) or []


def _key(contest: Contest) -> tuple[int, int]:
    """Return what can change the shares of a closed contest: only tickets voided since."""
    return contest.pk, voids_of(contest)


def _shares(marked: Iterable[tuple[int, int, int]]) -> Shares:
    """Return the shares from (leg, mask, bets on each number of the mask)."""
    bets_by_leg: dict[int, Counter[int]] = defaultdict(Counter)
    for leg, mask, bets in marked:
        for number in numbers_of(mask):
            bets_by_leg[leg][number] += bets
    return [
        {number: _per_mille(bets, counted.total()) for number, bets in sorted(counted.items())}
        for _, counted in sorted(bets_by_leg.items())
    ]


def _per_mille(part: int, whole: int) -> int:
    """Return a part of a whole in thousandths, rounded half up; 0 of 0."""
    return (2000 * part + whole) // (2 * whole) if whole else 0


_running: Facts[RunningSums] = Facts(most=8)
_open: Facts[dict[int, Shares]] = Facts(most=8)
_closed: Facts[Shares] = Facts(most=256)
