"""List the rules that the prize office does what two persons named, and has two persons do it."""

from core.journal.binding import LEFT
from core.journal.rules import Rule

# A count that a payment or movement made void, or that has lapsed, may be rejected by everybody.
COUNT_STANDS = Rule(
    "payoffice_cashsession.count_stands",
    "its cashier rejected what another person had counted in it",
    "payoffice_cashsession",
    f"""
    SELECT 'payoffice_cashsession', t.id, d.journal_xid
      FROM staff_decision d JOIN staff_proposal p ON p.id = d.proposal_id
      JOIN payoffice_cashsession t ON t.uuid::text = p.content ->> 'cash_session'
      JOIN ledger_account a ON a.code = 'payoffice:cash:' || t.id
      JOIN staff_user u ON u.id = p.proposed_by_id
      LEFT JOIN staff_decision g ON g.proposal_id = u.given_id
     WHERE p.kind = 'payoffice.cash_closing' AND d.verdict = 'rejected'
       AND d.decided_by_id = t.cashier_id AND p.proposed_by_id <> t.cashier_id
       AND d.journal_xid > {LEFT} AND d.decided_at <= p.good_until
       AND u.is_active AND (g.decided_at > p.proposed_at) IS NOT TRUE
       AND (t.closed_at <= d.decided_at) IS NOT TRUE
       AND NOT EXISTS (SELECT FROM ledger_entry e
                        WHERE e.account_id = a.id AND e.at BETWEEN p.proposed_at AND d.decided_at)
    """,
)

VALUE = Rule(
    "payoffice_stockitem.corrected",
    "its value changed in an act in which two persons did not correct it",
    "payoffice_stockitem",
    """
    SELECT 'payoffice_stockitem', c.row_id, c.journal_xid FROM journal_change c
     WHERE c.relation = 'payoffice_stockitem' AND c.after ? 'unit_cents' AND NOT EXISTS (
        SELECT FROM payoffice_stockcorrection o
         WHERE o.item_id = c.row_id AND o.journal_xid = c.journal_xid
           AND (o.from_cents::text, o.to_cents::text)
               = (c.before ->> 'unit_cents', c.after ->> 'unit_cents'))
    """,
)

SECOND = Rule(
    "payoffice_payment.second_there",
    "its second operator was not signed on at a terminal of the premises",
    "payoffice_payment",
    """
    SELECT 'payoffice_payment', t.id, t.journal_xid FROM payoffice_payment t
     WHERE t.second_session_id IS NOT NULL AND NOT EXISTS (
        SELECT FROM premises_operatorsession s JOIN premises_terminal m ON m.id = s.terminal_id
         WHERE s.id = t.second_session_id AND s.operator_id = t.second_operator_id
           AND m.premises_id = t.premises_id
           AND t.paid_at - interval '1 minute' < least(s.expires_at, s.ended_at))
    """,
)

NAMED: tuple[Rule, ...] = (COUNT_STANDS, VALUE, SECOND)
