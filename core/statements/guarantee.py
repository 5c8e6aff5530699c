"""Read what premises owe and how far their guarantee covers it, and set many limits at once.

The sale itself holds the limit (`sql/credit.sql`).
"""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction

from core.database import clock
from core.premises.chosen import Outcome, Plan, need_unchanged, plan_of, subject_of
from core.premises.models import Premises
from core.premises.services import sales_hold
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from core.statements import powers
from core.statements.models import GuaranteeLimit
from core.statements.services import MINUTE_CAP_CENTS, LimitRefused, ReferenceMissing

# Every premises that has owed or may owe, what it owes now, and its limit in force.
_COVERS = """
SELECT t.premises_id, sum(t.owed_cents)::bigint, coalesce((
        SELECT l.limit_cents FROM statements_guaranteelimit l
         WHERE l.premises_id = t.premises_id AND l.in_force_from <= core_now()
         ORDER BY l.in_force_from DESC, l.id DESC LIMIT 1), 0)
  FROM statements_till t
 WHERE %(premises)s::bigint IS NULL OR t.premises_id = %(premises)s
 GROUP BY t.premises_id ORDER BY t.premises_id
"""


@dataclass(frozen=True, slots=True)
class Cover:
    """The debt of premises and its limit, in cents. Without a limit on record it is nothing."""

    premises_id: int
    balance_cents: int
    limit_cents: int

    @property
    def left_cents(self) -> int:
        """Return what the premises may still sell before they remit."""
        return max(0, self.limit_cents - self.balance_cents)

    @property
    def is_near(self) -> bool:
        """Return whether four fifths of the limit are owed."""
        return self.balance_cents > 0 and self.balance_cents * 5 >= self.limit_cents * 4


def covers(premises_id: int | None = None) -> list[Cover]:
    """Return the cover of every premises, or of one."""
    with connection.cursor() as cursor:
        cursor.execute(_COVERS, {"premises": premises_id})
        return [Cover(*row) for row in cursor.fetchall()]


NO_LIMIT = {"limit_cents": None, "minute_cap_cents": None, "in_force_from": None}
TO_COME = ("limit_to_come", "Another limit begins there later, and would replace this one.")
SAME = ("limit_the_same", "These premises have this limit already.")


def standing(places: Sequence[Premises]) -> dict[int, dict[str, Any]]:
    """Return the newest limit on record of each premises by its key, in force or to come."""
    limit_by_place: dict[int, dict[str, Any]] = {place.pk: NO_LIMIT for place in places}
    limits = GuaranteeLimit.objects.filter(premises__in=limit_by_place)
    newest = limits.order_by("premises", "-in_force_from", "-pk").distinct("premises")
    for row in newest:
        limit_by_place[row.premises_id] = {
            "limit_cents": row.limit_cents,
            "minute_cap_cents": row.minute_cap_cents,
            "in_force_from": row.in_force_from.isoformat(),
        }
    return limit_by_place


def limits_plan(codes: Sequence[str], limit_cents: int, minute_cap_cents: int) -> Plan:
    """Return what a proposal to set these amounts, in cents, would be about.

    Premises whose newest limit has both amounts, or begins later, are left out. Raises
    SelectionEmpty.
    """
    present = clock.now()

    def unfit(now: dict[str, Any]) -> tuple[str, str] | None:
        since = now["in_force_from"]
        if since and datetime.datetime.fromisoformat(since) > present:
            return TO_COME
        same = (now["limit_cents"], now["minute_cap_cents"]) == (limit_cents, minute_cap_cents)
        return SAME if same else None

    return plan_of(codes, state=standing, unfit=unfit)


@transaction.atomic
def limits_propose(
    *,
    by: StaffActor,
    premises: Sequence[str],
    limit_cents: int,
    reference: str,
    minute_cap_cents: int = MINUTE_CAP_CENTS,
) -> Outcome:
    """Propose one limit for premises, by their codes, from its confirmation by another person on.

    Amounts are cents. Premises that have it already, or are unknown, are left out and named. Raises
    PowerMissing, LimitRefused, ReferenceMissing, SelectionEmpty, SelectionRefused, ProposalPending.
    """
    by.need(powers.SET_GUARANTEE)
    if min(limit_cents, minute_cap_cents) < 0:
        raise LimitRefused(limit_cents=limit_cents, minute_cap_cents=minute_cap_cents)
    if not reference.strip():
        raise ReferenceMissing
    plan = limits_plan(premises, limit_cents, minute_cap_cents)
    plan.need_some()
    content: two_persons.Content = {
        "premises": plan.rows(),
        "limit_cents": limit_cents,
        "minute_cap_cents": minute_cap_cents,
        "reference": reference,
    }
    subject = subject_of("guarantees", content)
    proposal = two_persons.propose(kind=LIMITS, subject=subject, by=by, content=content)
    return Outcome(proposal, plan.refused)


def _limits_set(proposal: Proposal, by: StaffActor) -> None:
    """Set the limit of each of the premises, or of none. Raises PremisesChanged."""
    content, now = proposal.content, sales_hold()
    GuaranteeLimit.objects.bulk_create(
        GuaranteeLimit(
            premises=place,
            limit_cents=content["limit_cents"],
            minute_cap_cents=content["minute_cap_cents"],
            in_force_from=now,
            reference=content["reference"],
            recorded_at=now,
            recorded_by_id=proposal.proposed_by_id,
            proposal=proposal,
        )
        for place in need_unchanged(content["premises"], state=standing)
    )


LIMITS = two_persons.Kind("statements.guarantees", powers.SET_GUARANTEE, _limits_set)
