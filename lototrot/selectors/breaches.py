"""Find bets registered in breach (14.I.6) [C6, E3, E10].

A bet is in breach if it was sold at or after the actual first start, or the declaration that a
race is not run. It is also in breach if its premises or its terminal were suspended, or not
authorised, when it was sold. Starts, authorisations and suspensions may be recorded or corrected
later, so the set is queried each time (`lototrot/sql/breach.sql`).
"""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Q, QuerySet

from core.database import clock
from core.database.reading import numbers
from core.database.reading.asking import fetch_all, fetch_row, fetch_value
from lototrot.models.contest import Contest
from lototrot.models.programme import Race
from lototrot.models.tickets import Void
from lototrot.selectors.contests import contest_get


@dataclass(frozen=True, slots=True)
class Breach:
    """A ticket in breach.

    Reasons: after_limit, premises_not_authorised, terminal_revoked, sales_suspended, or several.
    """

    ticket_id: int
    uuid: UUID
    sold_at: datetime
    premises: str
    terminal: str
    bets: int
    amount_cents: int
    reasons: list[str]


@dataclass(frozen=True, slots=True)
class BreachSet:
    """All tickets of a contest in breach.

    `digest` is the SHA-256 over their ids in order, in hex.
    """

    tickets: int
    bets: int
    amount_cents: int
    digest: str


AFTER_LIMIT = "after_limit"
"""The reason of a bet in breach that was sold too late."""
IN_BREACH = (
    "lototrot_breaches(p_contest => %(contest)s, p_limit => %(limit)s::timestamptz,"
    " p_opened_at => %(opened_at)s::timestamptz,"
    " p_closed_at => %(sales_ended_at)s::timestamptz) breach"
)
_LIMITS = "SELECT lototrot_limit(%(contest)s), lototrot_sales_ended(%(contest)s)"


def breach_parameters(contest: Contest) -> dict[str, Any]:
    """Return the parameters of IN_BREACH for a contest."""
    limit, sales_ended_at = fetch_row(_LIMITS, {"contest": contest.pk})
    return {
        "contest": contest.pk,
        "opened_at": contest.opened_at or "-infinity",
        "sales_ended_at": sales_ended_at or "infinity",
        "limit": limit,
    }


def annulled_after_start(contest: Contest) -> QuerySet[Void]:
    """Return the annulments from the instant on from which a bet is in breach [E4, C6].

    While a start was not reported yet the operators of terminals could still annul, also tickets of
    which the race showed that they lose.
    """
    limit = breach_parameters(contest)["limit"]
    if limit is None:
        return Void.objects.none()
    late = numbers.within(Void, "voided_at", limit, clock.now() + numbers.OUT_OF_ORDER)
    return Void.objects.filter(late, reason=Void.Reason.ERROR, ticket__contest=contest)


def voided_in_time(contest: Contest) -> QuerySet[Void]:
    """Return the tickets that were voided as sold after the start, and by the record in force were
    sold before it [C6].

    The start was stated too early, or the declaration was mistaken, and both were put right only
    after two persons had voided the bets (docs/adr/0070-a-start-stated-too-early.md).
    """
    if contest.closed_at is None:
        return Void.objects.none()
    since = numbers.within(Void, "voided_at", contest.closed_at, clock.now() + numbers.OUT_OF_ORDER)
    too_late = Q(reason=Void.Reason.BREACH, note=AFTER_LIMIT, ticket__contest=contest)
    limit = breach_parameters(contest)["limit"]
    before = Q(ticket__sold_at__lt=limit) if limit else Q()
    return Void.objects.filter(since, too_late, before)


def races_restated(begin: datetime, end: datetime) -> QuerySet[Race]:
    """Return the races whose start was recorded, or whose declaration was recorded or taken back,
    from an instant up to another one: what limits their bets may be another instant since.
    """
    since = Q(starts__recorded_at__gte=begin, starts__recorded_at__lt=end)
    since |= Q(declarations__recorded_at__gte=begin, declarations__recorded_at__lt=end)
    since |= Q(declarations__superseded_at__gte=begin, declarations__superseded_at__lt=end)
    return Race.objects.filter(since)


def breach_pending(contest_id: int) -> bool:
    """Return whether a known bet in breach is neither voided nor blocked."""
    parameters = breach_parameters(contest_get(contest_id))
    return bool(fetch_value(f"SELECT EXISTS (SELECT FROM {IN_BREACH})", parameters))


def breach_among(contest: Contest, *, ordered: bool) -> bool:
    """Return whether a contest has bets in breach that must be undone: with `ordered` one whose
    payment is ordered, else one that is closed or settled.
    """
    states = (Contest.State.ORDERED,) if ordered else Contest.UNORDERED
    return contest.state in states and breach_pending(contest.pk)


# Every closed contest is looked at until it is ordered; then only where a fact was corrected since.
# That is a start (the first one of a race is recorded before it has results), or a resolution that
# took effect before the end of the contest's sales. Both begin at the corrections, which are few,
# and find their contests by index: the past is not read.
_LOOKED_AT = """
SELECT id FROM lototrot_contest WHERE state IN ('closed', 'settled')
 UNION
SELECT o.contest_id
  FROM lototrot_racestart s
  JOIN lototrot_contestleg l ON l.race_id = s.race_id
  JOIN lototrot_paymentorder o ON o.contest_id = l.contest_id AND s.recorded_at > o.ordered_at
  JOIN lototrot_contest c ON c.id = o.contest_id AND c.state = 'ordered'
 WHERE s.corrects_id IS NOT NULL
 UNION
SELECT c.id
  FROM premises_resolution r
  JOIN lototrot_contest c ON c.state = 'ordered'
   AND (c.day > (r.effective_at - interval '2 days')::date OR c.closed_at >= r.effective_at)
  JOIN lototrot_paymentorder o ON o.contest_id = c.id AND r.entered_at > o.ordered_at
"""


def contests_with_breaches() -> list[Contest]:
    """Return the contests whose known bets in breach are neither voided nor blocked, by day.

    A contest whose payment is ordered is looked at only if a fact about it was corrected later.
    """
    looked_at = [pk for (pk,) in fetch_all(_LOOKED_AT)]
    contests = Contest.objects.filter(pk__in=looked_at).order_by("day", "pk")
    return [each for each in contests if breach_pending(each.pk)]


def breach_list(contest_id: int, *, after: int = 0, limit: int = 100) -> list[Breach]:
    """Return up to `limit` tickets in breach with an id above `after`, by id."""
    query = (
        "SELECT breach.id, breach.uuid, breach.sold_at, p.code, m.code, breach.bets,"
        f" breach.amount_cents, breach.reasons FROM {IN_BREACH}"
        " JOIN premises_premises p ON p.id = breach.premises_id"
        " JOIN premises_terminal m ON m.id = breach.terminal_id"
        " WHERE breach.id > %(after)s ORDER BY breach.id LIMIT %(most)s"
    )
    parameters = breach_parameters(contest_get(contest_id)) | {"after": after, "most": limit}
    return [Breach(*row) for row in fetch_all(query, parameters)]


def breach_set(contest_id: int) -> BreachSet:
    """Return the totals of all tickets that an act would undo. Memory does not grow with them."""
    query = f"SELECT id, bets, amount_cents FROM {IN_BREACH} ORDER BY id"
    return summed(query, breach_parameters(contest_get(contest_id)))


def summed(query: str, parameters: dict[str, Any]) -> BreachSet:
    """Return the totals of the tickets that a query gives by id: id, bets, amount in cents."""
    tickets = bets = cents = 0
    digest = hashlib.sha256()
    with connection.chunked_cursor() as cursor:
        cursor.execute(query, parameters)
        for ticket, ticket_bets, ticket_cents in cursor:
            digest.update(b"%d\n" % ticket)
            tickets, bets, cents = tickets + 1, bets + ticket_bets, cents + ticket_cents
    return BreachSet(tickets, bets, cents, digest.hexdigest())
