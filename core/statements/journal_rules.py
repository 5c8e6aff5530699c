"""List the rules that must hold between the rows of premises' accounts and the acts that wrote
them.
"""

from core.journal.binding import as_named, confirmed, posted, stamped, with_parent, with_rows
from core.journal.rules import END, FIRST, Rule
from core.statements.models import MarkedBalance

_BY = {"user": "recorded_by_id"}


_OPENED = "(SELECT coalesce(max(o.up_to), 0) FROM ledger_openingbalance o)"
# The last mark from before the verified part of the journal; and the second from after it, for the
# first may have been read before the last transactions of the part.
# Where transfers after a mark have left with their month, the ledger's opening stands in for it.
_AFTER = f"""(SELECT greatest(coalesce(max(m.up_to), 0), {_OPENED}) FROM statements_mark m
               WHERE m.journal_xid < {FIRST})"""
_UP_TO = f"""coalesce((SELECT m.up_to FROM statements_mark m WHERE m.journal_xid >= {END}
                       ORDER BY m.up_to OFFSET 1 LIMIT 1), {2**63 - 1})"""


def _marked(mark: str) -> str:
    """Return the SQL of the balance of account t, in cents, at the opening or the mark up to that
    transfer. A mark that ends with an opening leaves.
    """
    return f"""coalesce(
        (SELECT o.debit_cents - o.credit_cents FROM ledger_opening o
          WHERE o.up_to = {mark} AND o.account_id = t.account_id),
        (SELECT (b.debts_cents ->> t.account_id::text)::bigint FROM statements_markedbalance b
          WHERE b.mark_id = (SELECT m.id FROM statements_mark m WHERE m.up_to = {mark})
            AND b.part = t.account_id / {MarkedBalance.ACCOUNTS_OF_PART}), 0)"""


# A sale is credit to the premises. What adds to the debt of one account is numbered in the order in
# which it is posted (`till_move` in sql/tills.sql), so the sum up to a sale is at most what the
# sale itself saw. The sum begins at a mark; the nightly audit proves each mark from the one before.
LIMIT = Rule(
    "limit_held_in_the_sale",
    "with it the premises owed more than the limit in force",
    "ledger_transfer",
    f"""
    SELECT 'ledger_transfer', s.id, s.journal_xid
      FROM (SELECT x.id, x.journal_xid, x.kind, x.at, t.premises_id, {_marked(_AFTER)}
                   + sum(e.cents) OVER (PARTITION BY t.account_id ORDER BY x.id) AS owed_cents
              FROM statements_till t
              JOIN ledger_entry e ON e.account_id = t.account_id
              JOIN ledger_transfer x ON x.id = e.transfer_id
             WHERE t.terminal_id IS NULL
               AND e.transfer_id > {_AFTER} AND e.transfer_id <= {_UP_TO}) s
     WHERE s.kind LIKE '%.sale' AND s.owed_cents > coalesce((
            SELECT l.limit_cents FROM statements_guaranteelimit l
             WHERE l.premises_id = s.premises_id AND l.in_force_from <= s.at
             ORDER BY l.in_force_from DESC, l.id DESC LIMIT 1), 0)
    """,
)
_NEWEST = f"(SELECT greatest(coalesce(max(m.up_to), 0), {_OPENED}) FROM statements_mark m)"
# The parts of what premises owe, which sales read, sum to the balance of their account: that of the
# newest mark with the transfers since.
TILLS = Rule(
    "tills_hold_the_debt",
    "what sales read as the debt of premises is not the balance of their account",
    "statements_till",
    f"""
    SELECT 'statements_till', t.id, t.journal_xid
      FROM (SELECT account_id, sum(owed_cents) AS cents FROM statements_till GROUP BY 1) o
      LEFT JOIN (SELECT account_id, sum(cents) AS cents FROM ledger_entry
                  WHERE transfer_id > {_NEWEST} GROUP BY 1) e ON e.account_id = o.account_id
      JOIN statements_till t ON t.account_id = o.account_id AND t.terminal_id IS NULL
     WHERE o.cents <> coalesce(e.cents, 0) + {_marked(_NEWEST)}
    """,
    stands=True,
)

# Every month that is retired has rows of all accounts: the newest is found by an index.
_ENDED = """coalesce((SELECT o.ends_at FROM ledger_openingbalance o ORDER BY o.up_to DESC LIMIT 1),
                     '-infinity')"""
_RETIRED = "(SELECT coalesce(max(o.journal_xid), 0) FROM ledger_openingbalance o)"
# A cash-up counts what its operator moved at its terminal, each transaction in one shift. The
# transfers of the shifts of the verified part are read once, from the last mark before the first. A
# shift of a retired month is not counted again; one that was closed since must begin after it.
DRAWER = Rule(
    "cash_up_counts_the_shift",
    "it does not say what the operator's acts at the terminal moved in the shift",
    "statements_cashup",
    f"""
    WITH shift AS MATERIALIZED (
        SELECT c.*, p.id AS before_id, p.snapshot AS before, o.id AS account_id
          FROM statements_cashup c
          LEFT JOIN statements_cashup p ON p.terminal_id = c.terminal_id
           AND p.operator_id = c.operator_id AND p.number = c.number - 1
          JOIN premises_terminal m ON m.id = c.terminal_id
          LEFT JOIN ledger_account o ON o.code = 'premises:' || m.premises_id
         WHERE c.journal_xid >= {FIRST} AND c.journal_xid < {END}
           AND (c.since >= {_ENDED} + interval '1 hour' OR c.journal_xid > {_RETIRED})),
    begun AS MATERIALIZED (
        SELECT coalesce(max(m.up_to), 0) AS after FROM statements_mark m
         WHERE m.made_at <= (SELECT min(since) - interval '1 hour' FROM shift)),
    moved AS (
        SELECT c.id, sum(CASE WHEN x.debit_id = c.account_id THEN x.amount_cents
                              ELSE -x.amount_cents END) AS cents
          FROM ledger_transfer x
          JOIN journal_act a ON a.journal_xid = x.journal_xid
          JOIN shift c ON c.terminal_id = a.terminal_id AND c.operator_id = a.operator_id
           AND c.account_id IN (x.debit_id, x.credit_id)
         WHERE x.id > (SELECT after FROM begun) AND x.id > {_OPENED}
           AND EXISTS (SELECT FROM shift)
           AND x.at >= CASE WHEN c.before_id IS NULL THEN c.since
                            ELSE c.since - interval '1 hour' END
           AND pg_visible_in_snapshot(x.journal_xid::text::xid8, c.snapshot::pg_snapshot)
           AND (c.before_id IS NULL OR NOT pg_visible_in_snapshot(
                    x.journal_xid::text::xid8, c.before::pg_snapshot))
         GROUP BY 1)
    SELECT 'statements_cashup', c.id, c.journal_xid
      FROM shift c LEFT JOIN moved ON moved.id = c.id
     WHERE c.expected_cents <> coalesce(moved.cents, 0) OR c.number > 1 AND c.before_id IS NULL
        OR c.since < {_ENDED}
    """,
)

# The parts of a bank movement are few, and an index finds them. One that left may have come before
# this one or after it.
MOVEMENT = Rule(
    "statements_remittance.of_its_movement",
    "two persons did not say which premises have a part",
    "statements_remittance",
    """SELECT 'statements_remittance', t.id, t.journal_xid FROM statements_remittance t
         LEFT JOIN staff_proposal p ON p.id = t.proposal_id
        CROSS JOIN LATERAL (
            SELECT ARRAY(SELECT jsonb_array_elements_text(coalesce(p.content -> 'also_of', '[]'))),
                   ARRAY(SELECT o.code::text FROM statements_remittance r
                           JOIN premises_premises o ON o.id = r.premises_id
                          WHERE upper(r.reference) = upper(t.reference)
                            AND r.premises_id <> t.premises_id AND r.id < t.id)
            ) parts(confirmed, recorded)
        WHERE NOT confirmed @> recorded
           OR EXISTS (SELECT FROM unnest(confirmed) c WHERE c <> ALL (recorded) AND c NOT IN (
                   SELECT o.code FROM statements_movement_left(t.reference) l
                     JOIN premises_premises o ON o.id = l))
    """,
)
ONCE = Rule(
    "bank_movement_once",
    "premises paid a statement with the same bank movement",
    "payoffice_chequerecovery",
    """SELECT 'payoffice_chequerecovery', t.id, t.journal_xid FROM payoffice_chequerecovery t
        WHERE t.reversed_at IS NULL AND (EXISTS (
            SELECT FROM statements_remittance r WHERE upper(r.reference) = upper(t.reference))
           OR EXISTS (SELECT FROM statements_movement_left(t.reference)))
    """,
    stands=True,
)
# What left is summed as it was published: as many statements and payments as left.
LEFT_SUMMED = Rule(
    "statements_left.summed",
    "the sums of statements or payments that left are not of as many as were published to leave",
    "statements_retiredstatements",
    """
    SELECT 'periods_retiredrows', d.id, d.journal_xid FROM periods_retiredrows d
     WHERE d.relation = 'statements_statement'
       AND d.leaves <> (SELECT coalesce(sum(l.statements), 0) FROM statements_left l
                         WHERE l.retired = d.id)
        OR d.relation = 'statements_remittance'
       AND d.leaves <> (SELECT count(*) FROM statements_left_payments l WHERE l.retired = d.id)
    """,
)

RULES: tuple[Rule, ...] = (
    LIMIT,
    MOVEMENT,
    ONCE,
    LEFT_SUMMED,
    *(
        with_parent(f"statements_retired{name}", "periods_retiredrows", "retired")
        for name in ("commission", "remittances", "statements")
    ),
    TILLS,
    DRAWER,
    with_rows(
        "statements_till",
        ("ledger_account", "o.id = t.account_id"),
        ("premises_terminal", "o.id = t.terminal_id"),
    ),
    stamped("statements_commissionrate", "recorded_at"),
    confirmed("statements_commissionrate"),
    as_named("statements_commissionrate"),
    stamped("statements_guaranteelimit", "recorded_at"),
    confirmed("statements_guaranteelimit"),
    as_named("statements_guaranteelimit"),
    stamped(
        "statements_remittance",
        "recorded_at",
        **_BY,
        session="recorded_in_id",
        unless="proposal_id IS NOT NULL",
    ),
    confirmed("statements_remittance"),
    as_named("statements_remittance"),
    posted("statements_remittance", "abs(t.amount_cents)"),
    stamped("statements_cashup", "closed_at", terminal="terminal_id", operator="operator_id"),
    stamped("statements_mark", "made_at"),
    with_parent("statements_markedbalance", "statements_mark", "mark_id"),
    stamped("statements_statement", "issued_at"),
    posted(
        "statements_statement",
        # One transfer for each game: what it earned at one rate less what is taken back at another.
        # Of the columns, the first is `game` and the last `commission_cents`.
        "(SELECT coalesce(sum(abs(g.cents)), 0) FROM ("
        "SELECT sum((e ->> -1)::bigint) AS cents"
        " FROM json_array_elements(t.commission) e GROUP BY e ->> 0) g)",
    ),
)
