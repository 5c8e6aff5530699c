"""List the rules that must hold between the rows of premises' accounts and the acts that wrote
them.
"""

from core.journal.binding import posted, stamped, with_parent
from core.journal.rules import Rule

_BY = {"user": "recorded_by_id"}


RULES: tuple[Rule, ...] = (
    stamped("statements_commissionrate", "recorded_at", **_BY),
    stamped("statements_guaranteelimit", "recorded_at", **_BY),
    stamped("statements_remittance", "recorded_at", **_BY, session="recorded_in_id"),
    posted("statements_remittance", "abs(t.amount_cents)"),
    stamped("statements_mark", "made_at"),
    with_parent("statements_markedbalance", "statements_mark", "mark_id"),
    stamped("statements_statement", "issued_at"),
    posted(
        "statements_statement",
        "(SELECT coalesce(sum(abs((e ->> 'commission_cents')::bigint)), 0)"
        " FROM jsonb_array_elements(t.commission) e)",
    ),
)
