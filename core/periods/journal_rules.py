"""List the rules between closed periods and the acts that closed them."""

from core.journal.binding import confirmed, published, stamped, with_parent
from core.journal.rules import END, FIRST, Rule

# A transfer of a closed period was there when it was closed.
LATE = Rule(
    "nothing_late_in_a_closed_period",
    "it came after the period of its day had been closed",
    "ledger_transfer",
    f"""
    SELECT 'ledger_transfer', x.id, x.journal_xid
      FROM ledger_transfer x
     WHERE x.journal_xid >= {FIRST} AND x.journal_xid < {END}
       AND x.journal_xid > (SELECT min(p.journal_xid) FROM periods_closedperiod p)
       AND x.at < (SELECT max(p.ends_at) FROM periods_closedperiod p
                    WHERE p.journal_xid < x.journal_xid)
    """,
)

RULES: tuple[Rule, ...] = (
    LATE,
    stamped("periods_closedperiod", "closed_at"),
    confirmed("periods_closedperiod"),
    published(
        "periods_closedperiod", "periods.closed", "'period:' || to_char(t.first_day, 'YYYY-MM')"
    ),
    with_parent("periods_periodbalance", "periods_closedperiod", "period_id"),
)
