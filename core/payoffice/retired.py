"""Tell which payments left with a retired month (ADR 57).

Who counts payments counts those that stay, and adds the sums of those that left
(`RetiredPayments`).
"""

PAYMENT_STAYS = """
(p.id > (SELECT coalesce(max(r.last_row), 0) FROM periods_retiredrows r
          WHERE r.relation = 'payoffice_payment')
 OR NOT payoffice_payment_leaves(p.id))
"""
"""SQL of the condition that the payment p does not leave. A night deletes those that do, so they
may still be there."""
