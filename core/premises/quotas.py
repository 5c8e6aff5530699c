"""Limit the unpaid writes of a terminal, so that none can fill the disk, and its readings, so that
none keeps the processes for sales from the others.

Sales, plays and payments are paid for: their limits are money (`core/statements/sql/credit.sql`),
and each paper was sold. All else that a terminal asks for and that may write takes units.
"""

from core.traffic.limits import claim_of_row, take
from core.traffic.rates import Rate

WRITES = Rate(per_s=3_000 / 3600, burst=1_500)
"""Units of a terminal: one for each request, and one for each 16 KiB of its body."""
UNIT_BYTES = 16 * 1024
READS = Rate(per_s=10, burst=300)
"""Readings of a terminal. At work it asks for one or two in a second, for some ten as it starts."""


def writes_take(*, terminal_id: int, body_bytes: int) -> None:
    """Take the units of a request that may write. Raises Throttled, which is transient."""
    units = 1.0 + body_bytes // UNIT_BYTES
    take(claim_of_row("terminal-writes", terminal_id, WRITES, units))


def reads_take(*, terminal_id: int) -> None:
    """Take the unit of a request that only reads. Raises Throttled, which is transient."""
    take(claim_of_row("terminal-reads", terminal_id, READS))
