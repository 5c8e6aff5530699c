"""List what must agree between the rows of the prize office and the acts that wrote them.

The rows record claims and their payment (14.III.10).
"""

from core.journal.binding import (
    LEFT,
    as_named,
    at_another_time,
    became,
    changed_as_named,
    confirmed,
    posted,
    stamped,
    with_parent,
    with_rows,
)
from core.journal.rules import END, FIRST, Rule
from core.payoffice.models.payments import SECOND_PERSON_AT_LATEST_CENTS
from core.payoffice.rules_named import NAMED

_PROPOSED = "proposal_id IS NOT NULL"
_OF_CLAIM = "o.claim_id = t.id"
_OF_DEPOSIT = """o.deposit_id IN (SELECT m.deposit_id FROM payoffice_depositmatch m
                                  WHERE m.claim_id = t.id)"""
# The row that must stand behind each state of a claim.
_MADE_BY = {
    "paid": (("payoffice_payment", _OF_CLAIM),),
    "exchanged": (("payoffice_exchange", _OF_CLAIM),),
    "early": (("payoffice_presentation", _OF_CLAIM), ("payoffice_depositmatch", _OF_CLAIM)),
    "presented": (
        ("payoffice_presentation", _OF_CLAIM),
        ("staff_decision", "t.valued_at IS NOT NULL AND o.verdict = 'confirmed'"),
        ("payoffice_ruling", f"{_OF_DEPOSIT} AND o.claim_id IS NULL"),
    ),
    "no_prize": (("staff_decision", "o.verdict = 'confirmed'"),),
    "granted": (("payoffice_ruling", f"{_OF_CLAIM} AND o.verdict = 'granted'"),),
    "refused": (("payoffice_ruling", f"{_OF_CLAIM} AND o.verdict = 'refused'"),),
}
# A document is presented beside a deposit that was matched with it from the records [C5].
_BESIDE = """EXISTS (SELECT FROM payoffice_depositmatch m WHERE m.claim_id = t.claim_id
                AND m.staff_id IS NOT NULL AND m.matched_at <= t.presented_at)"""
# What two persons named as the worth of things that came or went: a value may be corrected later.
_WORTH = "(SELECT (p.content ->> 'cents')::bigint FROM staff_proposal p WHERE p.id = t.proposal_id)"
_AMOUNT = "(SELECT c.amount_cents FROM payoffice_claim c WHERE c.id = t.claim_id)"

# SQL of what two persons confirmed of cash that left a drawer, p, and of who received it, d.
_RECEIVED = """
  LEFT JOIN staff_proposal p ON p.id = t.proposal_id
  LEFT JOIN staff_decision d ON d.proposal_id = p.id AND d.verdict = 'confirmed'"""

CLOSED = Rule(
    "payoffice_cashsession.closed",
    "no other person than its cashier received its cash in the act that closed it",
    "payoffice_cashsession",
    f"""
    SELECT 'payoffice_cashsession', t.id, c.journal_xid
      FROM journal_change c JOIN payoffice_cashsession t ON t.id = c.row_id {_RECEIVED}
     WHERE c.relation = 'payoffice_cashsession' AND c.after ->> 'closed_at' IS NOT NULL
       AND (d.id IS NULL OR d.journal_xid <> c.journal_xid OR d.decided_by_id = t.cashier_id)
    """,
)

COUNTED = Rule(
    "payoffice_cashsession.counted",
    "its notes and coins do not add up to what was counted, or are not what was confirmed",
    "payoffice_cashsession",
    """
    SELECT 'payoffice_cashsession', t.id, c.journal_xid
      FROM journal_change c JOIN payoffice_cashsession t ON t.id = c.row_id
      LEFT JOIN staff_proposal p ON p.id = t.proposal_id
     WHERE c.relation = 'payoffice_cashsession' AND c.after ->> 'closed_at' IS NOT NULL
       AND (t.counted_cents IS DISTINCT FROM
              (SELECT coalesce(sum(each.key::bigint * each.value::bigint), 0)
                 FROM jsonb_each_text(t.count) AS each)
            OR staff_proposes(p, t) IS NOT TRUE)
    """,
)

TAKEN = Rule(
    "payoffice_cashmovement.taken",
    "its cashier took it alone, or it is not what another person received",
    "payoffice_cashmovement",
    f"""
    SELECT 'payoffice_cashmovement', t.id, t.journal_xid
      FROM payoffice_cashmovement t JOIN payoffice_cashsession s ON s.id = t.session_id {_RECEIVED}
     WHERE t.cents < 0
       AND (d.decided_by_id IS NULL OR d.decided_by_id = s.cashier_id
            OR staff_proposes(p, t) IS NOT TRUE)
    """,
)

MOVED = Rule(
    "payoffice_stockmovement.as_named",
    "one person alone said that things came in or went out, or they are not what two persons named",
    "payoffice_stockmovement",
    """
    SELECT 'payoffice_stockmovement', t.id, t.journal_xid
      FROM payoffice_stockmovement t LEFT JOIN staff_proposal p ON p.id = t.proposal_id
     WHERE t.exchange_id IS NULL AND staff_proposes(p, t) IS NOT TRUE
    """,
)

# Payments that left are summed as they were published: as many as left.
PAYMENTS_LEFT = Rule(
    "payoffice_retiredpayments.summed",
    "the sums of the payments that left are not of as many as were published to leave",
    "payoffice_retiredpayments",
    """
    SELECT 'periods_retiredrows', d.id, d.journal_xid
      FROM periods_retiredrows d
     WHERE d.relation = 'payoffice_payment'
       AND d.leaves <> (SELECT coalesce(sum(l.payments), 0) FROM payoffice_left_by_premises l
                         WHERE l.retired = d.id)
    """,
)


_LOSS = """(SELECT coalesce(sum(v.amount_cents), 0) FROM payoffice_voidedchequepayment v
               WHERE v.cheque_id = t.cheque_id AND v.outcome = 'loss'
                 AND v.reversed_at IS NULL)"""
_GONE = """(SELECT coalesce(sum(e.amount_cents), 0) FROM (
               SELECT r.cheque_id, r.amount_cents FROM payoffice_chequerecovery r
                WHERE r.reversed_at IS NULL UNION ALL
               SELECT w.cheque_id, w.amount_cents FROM payoffice_chequewriteoff w
                WHERE w.reversed_at IS NULL) e WHERE e.cheque_id = t.cheque_id)"""


def _of_loss(table: str) -> Rule:
    """Return the rule that no more is given back or written off than was lost."""
    return Rule(
        f"{table}.of_loss",
        "more was given back or written off than was lost",
        table,
        f"SELECT '{table}', t.id, t.journal_xid FROM {table} t WHERE {_GONE} > {_LOSS}",
    )


def _taken_back(table: str, kind: str) -> Rule:
    """Return the rule that two persons took back an entry when it says so, and that its money was
    moved back. `kind` is SQL of the kind of transfer by which it was posted.
    """
    return Rule(
        f"{table}.taken_back",
        "it was taken back at another time, or in an act that two persons did not decide or that"
        " moved no money back",
        table,
        f"""
        SELECT '{table}', t.id, c.journal_xid
          FROM journal_change c JOIN {table} t ON t.id = c.row_id
          LEFT JOIN journal_act a ON a.journal_xid = c.journal_xid
          LEFT JOIN staff_proposal p ON p.id = t.reversal_id
         WHERE c.relation = '{table}' AND c.after ->> 'reversal_id' IS NOT NULL
           AND (staff_proposes(p, t) IS NOT TRUE
                OR {at_another_time("t.reversed_at")}
                OR NOT EXISTS (SELECT FROM staff_decision d
                                WHERE d.proposal_id = t.reversal_id AND d.verdict = 'confirmed'
                                  AND d.journal_xid = c.journal_xid)
                OR c.journal_xid > {LEFT} AND t.amount_cents IS DISTINCT FROM (
                   SELECT sum(x.amount_cents) FROM ledger_transfer x
                    WHERE x.kind = {kind} || '_reversed' AND x.journal_xid = c.journal_xid))
        """,
    )


# Cheques of one file of the bank are one act: two of the same amount need a transfer each.
CASHED = Rule(
    "payoffice_cheque.cashed",
    "cheques were presented in an act that moved less than their amounts together",
    "payoffice_cheque",
    f"""
    SELECT 'payoffice_cheque', min(t.id), c.journal_xid
      FROM journal_change c JOIN payoffice_cheque t ON t.id = c.row_id
     WHERE c.relation = 'payoffice_cheque' AND c.after ->> 'state' = 'presented'
       AND c.journal_xid > {LEFT} AND c.journal_xid >= {FIRST} AND c.journal_xid < {END}
     GROUP BY c.journal_xid
    HAVING sum(t.amount_cents) > (
           SELECT coalesce(sum(x.amount_cents), 0) FROM ledger_transfer x
            WHERE x.kind = 'payoffice.cheque' AND x.journal_xid = c.journal_xid)
    """,
)


def _of_claim(table: str, *, unless: str = "false") -> Rule:
    """Return the rule that the act which wrote the row also opened or changed its claim."""
    return with_rows(
        table,
        ("payoffice_claim", "o.id = t.claim_id"),
        ("journal_change", "o.relation = 'payoffice_claim' AND o.row_id = t.claim_id"),
        unless=unless,
    )


def _acted(table: str, at: str, *, unless: str = "") -> Rule:
    return stamped(
        table, at, user="staff_id", terminal="terminal_id", operator="operator_id", unless=unless
    )


def _large_by_two(table: str, second: str, cents: str = "t.amount_cents") -> Rule:
    """Return the rule that two persons gave out a large amount: by a proposal, or `second`."""
    return Rule(
        f"{table}.large_by_two",
        "one person alone gave out an amount that takes two",
        table,
        f"""SELECT '{table}', t.id, t.journal_xid FROM {table} t
             WHERE {cents} >= {SECOND_PERSON_AT_LATEST_CENTS}
               AND t.proposal_id IS NULL AND {second} IS NULL""",
    )


RULES: tuple[Rule, ...] = (
    *NAMED,
    *(became("payoffice_claim", "state", state, *by) for state, by in _MADE_BY.items()),
    stamped("payoffice_claim", "opened_at"),
    _acted("payoffice_payment", "paid_at", unless=_PROPOSED),
    _of_claim("payoffice_payment"),
    confirmed("payoffice_payment"),
    as_named("payoffice_payment"),
    posted("payoffice_payment", "t.amount_cents"),
    with_parent("payoffice_retiredpayments", "periods_retiredrows", "retired"),
    PAYMENTS_LEFT,
    _acted("payoffice_presentation", "presented_at"),
    _of_claim("payoffice_presentation", unless=_BESIDE),
    confirmed("payoffice_ruling"),
    as_named("payoffice_ruling"),
    _acted("payoffice_exchange", "exchanged_at", unless=_PROPOSED),
    _of_claim("payoffice_exchange"),
    confirmed("payoffice_exchange"),
    as_named("payoffice_exchange"),
    posted("payoffice_exchange", f"{_AMOUNT} + t.unit_cents"),
    with_rows("payoffice_exchange", ("payoffice_stockmovement", "o.exchange_id = t.id")),
    _large_by_two("payoffice_payment", "t.second_operator_id"),
    _large_by_two("payoffice_exchange", "NULL", "greatest(t.amount_cents, t.unit_cents)"),
    with_rows(
        "payoffice_cheque",
        ("payoffice_payment", "o.id = t.payment_id"),
        unless="t.reissue_id IS NOT NULL",
    ),
    confirmed("payoffice_cheque", proposal="reissue_id"),
    as_named("payoffice_cheque", proposal="reissue_id"),
    changed_as_named("payoffice_cheque", proposal="voiding_id"),
    became(
        "payoffice_cheque",
        "state",
        "voided",
        ("staff_decision", "o.proposal_id = t.voiding_id AND o.verdict = 'confirmed'"),
    ),
    became(
        "payoffice_cheque",
        "state",
        "presented",
        ("ledger_transfer", "o.kind = 'payoffice.cheque' AND o.amount_cents = t.amount_cents"),
        ("journal_act", f"o.journal_xid <= {LEFT}"),
    ),
    CASHED,
    confirmed("payoffice_voidedchequepayment"),
    as_named("payoffice_voidedchequepayment"),
    stamped("payoffice_voidedchequepayment", "recorded_at"),
    posted("payoffice_voidedchequepayment", "t.amount_cents"),
    _taken_back(
        "payoffice_voidedchequepayment",
        "CASE t.outcome WHEN 'loss' THEN 'payoffice.voided_cheque' ELSE 'payoffice.cheque' END",
    ),
    confirmed("payoffice_chequerecovery"),
    as_named("payoffice_chequerecovery"),
    stamped("payoffice_chequerecovery", "recorded_at"),
    posted("payoffice_chequerecovery", "t.amount_cents"),
    _of_loss("payoffice_chequerecovery"),
    _taken_back("payoffice_chequerecovery", "'payoffice.recovery'"),
    confirmed("payoffice_chequewriteoff"),
    as_named("payoffice_chequewriteoff"),
    stamped("payoffice_chequewriteoff", "recorded_at"),
    posted("payoffice_chequewriteoff", "t.amount_cents"),
    _of_loss("payoffice_chequewriteoff"),
    _taken_back("payoffice_chequewriteoff", "'payoffice.write_off'"),
    stamped("payoffice_payee", "recorded_at"),
    confirmed("payoffice_cashceiling"),
    as_named("payoffice_cashceiling"),
    stamped("payoffice_cashceiling", "recorded_at"),
    stamped("payoffice_cashsession", "opened_at", user="cashier_id", session="opened_in_id"),
    posted("payoffice_cashsession", "t.float_cents"),
    stamped("payoffice_cashmovement", "moved_at"),
    posted("payoffice_cashmovement", "abs(t.cents)"),
    confirmed("payoffice_cashmovement"),
    TAKEN,
    _acted("payoffice_deposit", "deposited_at"),
    stamped("payoffice_depositimage", "added_at"),
    stamped("payoffice_depositmatch", "matched_at", user="staff_id"),
    stamped("payoffice_depositarrival", "arrived_at", user="staff_id"),
    with_parent("payoffice_restoration", "payoffice_depositmatch", "match_id"),
    stamped("payoffice_restoration", "restored_at"),
    posted("payoffice_restoration", "t.cents"),
    CLOSED,
    COUNTED,
    stamped("payoffice_stockitem", "recorded_at"),
    stamped("payoffice_stockcorrection", "corrected_at"),
    confirmed("payoffice_stockcorrection"),
    as_named("payoffice_stockcorrection"),
    posted("payoffice_stockcorrection", "t.units * abs(t.to_cents - t.from_cents)"),
    stamped("payoffice_stockmovement", "moved_at"),
    confirmed("payoffice_stockmovement"),
    MOVED,
    posted("payoffice_stockmovement", f"abs({_WORTH})", unless="t.exchange_id IS NOT NULL"),
    with_rows(
        "payoffice_stockmovement",
        ("payoffice_exchange", "o.id = t.exchange_id AND o.item_id = t.item_id"),
        unless="t.exchange_id IS NULL",
    ),
)
