"""Sum the tickets, bets and takings of contests. A settled contest has its settlement's figures."""

import threading
from collections.abc import Collection
from dataclasses import dataclass

from core.database.kept import Facts
from core.database.reading.asking import fetch_value
from lototrot.models.contest import Contest
from lototrot.models.settlement import Settlement
from lototrot.selectors.retired import stays
from lototrot.selectors.running import RunningSums, Summed

SUMMED = Summed(
    "SELECT t.contest_id, count(*), sum(t.bets)::bigint, sum(t.amount_cents)::bigint"
    " FROM {tickets} WHERE {which} GROUP BY 1",
    keys=1,
    states=(*Contest.UNCLOSED, Contest.State.CLOSED),
)


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


_VOIDS = f"""
SELECT count(*) + (SELECT coalesce(sum(l.annulled_tickets), 0) FROM lototrot_left_by_terminal l
                    WHERE l.contest_id = %(contest)s)
  FROM lototrot_void v JOIN lototrot_ticket t ON t.id = v.ticket_id
 WHERE t.contest_id = %(contest)s AND {stays()}
   AND v.ticket_id >= (SELECT min(id) FROM lototrot_ticket WHERE contest_id = %(contest)s)
   AND v.ticket_id <= (SELECT max(id) FROM lototrot_ticket WHERE contest_id = %(contest)s)
"""


def voids_of(contest: Contest) -> int:
    """Return how many tickets of a contest are void.

    Only what was voided of the tickets sold at the same time is read, by index: the board asks
    every second, and the table has the voids of every contest there ever was.
    """
    return int(fetch_value(_VOIDS, {"contest": contest.pk}))


def all_totals() -> dict[int, Totals]:
    """Return the totals of every contest that is not settled. Begin with the sums that this process
    made before.
    """
    with _one_at_a_time:
        running = _of_process.get() or _of_process.put(fact=RunningSums(SUMMED))
        return {contest: Totals(*row) for (contest,), row in running.read().items()}


_of_process: Facts[RunningSums] = Facts(most=8)
_one_at_a_time = threading.Lock()
