"""Read what premises owe and how far their guarantee covers it, and set limits: one or many.

The sale itself holds the limit (`sql/credit.sql`).
"""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from core.database import clock
from core.database.reading.asking import fetch_all
from core.kernel.errors import Invalid
from core.premises.chosen import Outcome, Plan, need_unchanged, plan_of, subject_of
from core.premises.models import Premises
from core.premises.services import premises_by_code, sales_hold
from core.staff import two_persons
from core.staff.actor import StaffActor
from core.staff.models import Proposal
from core.statements import powers
from core.statements.models import GuaranteeLimit
from core.statements.services import ReferenceMissing

MINUTE_CAP_CENTS = 1_000_00
"""The most that a terminal sells in a minute where its premises' limit does not say another."""

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


class LimitRefused(Invalid):
    code = "guarantee_limit_refused"
    message = "A limit and a cap must be zero or more, and must begin now or later."


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
    return [Cover(*row) for row in fetch_all(_COVERS, {"premises": premises_id})]


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


def guarantee_limit_propose(
    *,
    by: StaffActor,
    premises: str,
    limit_cents: int,
    reference: str,
    in_force_from: datetime.datetime | None = None,
    minute_cap_cents: int = MINUTE_CAP_CENTS,
) -> Proposal:
    """Propose the largest debt of premises, and the most that each of their terminals sells a
    minute.

    It holds from an instant on, by default from its confirmation by another person. The proposal
    keeps the newest limit on record: it is refused where another one is set meanwhile. Raises
    PremisesUnknown, LimitRefused, ReferenceMissing, ProposalPending.
    """
    by.need(powers.SET_GUARANTEE)
    begins_before = in_force_from is not None and in_force_from < clock.now()
    if begins_before or min(limit_cents, minute_cap_cents) < 0:
        raise LimitRefused(limit_cents=limit_cents, minute_cap_cents=minute_cap_cents)
    if not reference.strip():
        raise ReferenceMissing
    place = premises_by_code(premises)
    return two_persons.propose(
        kind=GUARANTEE,
        subject=f"guarantee:{place.code}",
        by=by,
        content={
            "premises": premises,
            "limit_before": standing([place])[place.pk],
            "limit_cents": limit_cents,
            "minute_cap_cents": minute_cap_cents,
            "in_force_from": in_force_from.isoformat() if in_force_from else None,
            "reference": reference,
        },
    )


def _limit_set(proposal: Proposal, by: StaffActor) -> None:
    """Set a limit. Sales in flight come before it; none after it goes beyond it.

    Raises PremisesChanged.
    """
    content, now = proposal.content, sales_hold()
    place = premises_by_code(content["premises"])
    before = {"premises": place.code, "name": place.name, "standing": content["limit_before"]}
    need_unchanged([before], state=standing)
    since = content["in_force_from"]
    _limits_create(
        [place], proposal, at=now, since=datetime.datetime.fromisoformat(since) if since else now
    )


def _limits_create(
    places: Sequence[Premises],
    proposal: Proposal,
    *,
    at: datetime.datetime,
    since: datetime.datetime,
) -> None:
    """Record the limit of a proposal for premises, from `since` on, and not before `at`, now."""
    content = proposal.content
    GuaranteeLimit.objects.bulk_create(
        GuaranteeLimit(
            premises=place,
            limit_cents=content["limit_cents"],
            minute_cap_cents=content["minute_cap_cents"],
            in_force_from=max(since, at),
            reference=content["reference"],
            recorded_at=at,
            recorded_by_id=proposal.proposed_by_id,
            proposal=proposal,
        )
        for place in places
    )


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
    now = sales_hold()
    places = need_unchanged(proposal.content["premises"], state=standing)
    _limits_create(places, proposal, at=now, since=now)


LIMITS = two_persons.Kind("statements.guarantees", powers.SET_GUARANTEE, _limits_set)
GUARANTEE = two_persons.Kind("statements.guarantee", powers.SET_GUARANTEE, _limit_set)
