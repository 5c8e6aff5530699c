"""Suspend the sales of premises that owe more than their guarantee covers, until they owe less.

A sale does not read a balance. The sweeper compares balances and limits every few seconds, and sets
or lifts the suspension that every sale reads.
"""

from dataclasses import dataclass

from django.db import connection

from core.ledger.models import Account
from core.ledger.services import premises_account
from core.premises.suspending import guarantee_resume, guarantee_suspend
from core.statements.balances import balances_now

# The limit in force of each premises that has one, and whether its sales are stopped for it.
_LIMITS = """
SELECT DISTINCT ON (g.premises_id) g.premises_id, g.limit_cents, EXISTS (
        SELECT FROM premises_suspension s WHERE s.premises_id = g.premises_id
           AND s.cause = 'guarantee' AND s.lifted_at IS NULL)
  FROM statements_guaranteelimit g WHERE g.in_force_from <= core_now()
 ORDER BY g.premises_id, g.in_force_from DESC, g.id DESC
"""


@dataclass(frozen=True, slots=True)
class Cover:
    """The debt of premises and the limit of their guarantee, in cents."""

    premises_id: int
    balance_cents: int
    limit_cents: int
    suspended: bool

    @property
    def exceeded(self) -> bool:
        return self.balance_cents > self.limit_cents


def covers() -> list[Cover]:
    """Return every premises with a limit in force."""
    with connection.cursor() as cursor:
        cursor.execute(_LIMITS)
        limits = cursor.fetchall()
    if not limits:
        return []
    codes = {premises_account(premises_id).code: premises_id for premises_id, *_ in limits}
    accounts = Account.objects.filter(code__in=codes).values_list("pk", "code")
    balances = balances_now({pk: codes[code] for pk, code in accounts})
    return [
        Cover(premises_id, balances.get(premises_id, 0), limit, suspended)
        for premises_id, limit, suspended in limits
    ]


def covers_due() -> list[int]:
    """Return the premises whose suspension does not match their balance yet."""
    return [cover.premises_id for cover in covers() if cover.exceeded != cover.suspended]


def cover_apply(*, premises_id: int) -> bool:
    """Suspend or resume the premises by what they owe now. Return whether anything changed."""
    for cover in covers():
        if cover.premises_id == premises_id and cover.exceeded and not cover.suspended:
            reason = f"Guarantee exceeded: {cover.balance_cents} of {cover.limit_cents} cents"
            return guarantee_suspend(premises_id=premises_id, reason=reason)
        if cover.premises_id == premises_id and not cover.exceeded:
            return guarantee_resume(premises_id=premises_id)
    return False
