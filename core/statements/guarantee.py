"""Read what premises owe, and how far their guarantee covers it.

The sale itself holds the limit (`sql/credit.sql`); nothing here stops or starts sales.
"""

from dataclasses import dataclass

from django.db import connection

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
