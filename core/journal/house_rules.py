"""Rules for what both games stand on: time, people, premises, acts of two persons."""

from core.journal.rules import Rule, register

# Simulated time only moves forward: what was put in later is never earlier.
CLOCK = Rule(
    "clock_forward",
    "simulated time was set back",
    """
    SELECT 'database_clockoffset', id, journal_xid
      FROM (SELECT *, lag("offset") OVER (ORDER BY id) AS before FROM database_clockoffset) o
     WHERE "offset" < before
    """,
)
AUTHORISATION = Rule(
    "authorisation_only_shortened",
    "an authorisation was made longer than it was recorded (14.I.6)",
    """
    SELECT relation, row_id, journal_xid FROM journal_change
     WHERE relation = 'premises_authorisation' AND before ? 'valid_until'
       AND before -> 'valid_until' <> 'null'
       AND ((after ->> 'valid_until') IS NULL
            OR (after ->> 'valid_until')::timestamptz > (before ->> 'valid_until')::timestamptz)
    """,
)
ROLES = Rule(
    "roles_by_another",
    "a person's roles or access were changed by nobody, or by that person",
    """
    SELECT c.relation, c.row_id, c.journal_xid
      FROM journal_change c JOIN journal_act a ON a.journal_xid = c.journal_xid
     WHERE c.relation = 'staff_user' AND (c.before ? 'roles' OR c.before ? 'is_active')
       AND (a.user_id = c.row_id OR a.user_id IS NULL AND a.name NOT LIKE 'command:%')
    """,
)
# Who the row says it was is who the journal heard it from.
_DECIDED = """
    SELECT '{table}', t.id, t.journal_xid
      FROM {table} t JOIN journal_act a ON a.journal_xid = t.journal_xid
     WHERE a.user_id <> t.{who}_by_id OR a.session_id <> t.{who}_in_id
"""
PROPOSED = Rule(
    "proposer_is_who_acted",
    "the proposer is not the person who acted",
    _DECIDED.format(table="staff_proposal", who="proposed"),
)
DECIDED = Rule(
    "decider_is_who_acted",
    "the second person is not the person who acted",
    _DECIDED.format(table="staff_decision", who="decided"),
)
SAME = Rule(
    "two_persons",
    "one person, or one session, both proposed and confirmed",
    """
    SELECT 'staff_decision', d.id, d.journal_xid
      FROM staff_decision d JOIN staff_proposal p ON p.id = d.proposal_id
     WHERE d.verdict = 'confirmed'
       AND (d.decided_by_id = p.proposed_by_id OR d.decided_in_id = p.proposed_in_id
            OR (d.proposed_by_id, d.proposed_in_id) <> (p.proposed_by_id, p.proposed_in_id))
    """,
)


def confirmed(table: str, *, proposal: str = "proposal_id") -> Rule:
    """A row that two persons' confirmation makes, in the transaction of the confirmation."""
    return Rule(
        f"{table}.confirmed",
        "it is not of the act in which two persons decided it",
        f"""
        SELECT '{table}', t.id, t.journal_xid FROM {table} t
         WHERE t.{proposal} IS NOT NULL AND NOT EXISTS (
            SELECT FROM staff_decision d WHERE d.proposal_id = t.{proposal}
               AND d.verdict = 'confirmed' AND d.journal_xid = t.journal_xid)
        """,
    )


def with_parent(table: str, parent: str, key: str) -> Rule:
    """A row that is written in the act that writes its parent, and never after it."""
    return Rule(
        f"{table}.with_{parent}",
        f"it is not of the act that made its {parent}",
        f"""
        SELECT '{table}', t.id, t.journal_xid
          FROM {table} t LEFT JOIN {parent} p ON p.id = t.{key}
         WHERE p.journal_xid IS DISTINCT FROM t.journal_xid
        """,
    )


def sold(table: str, *, act: str, amount: str) -> Rule:
    """A ticket is of a sale: by that terminal and operator, at that moment, with its transfer.

    A sale may be the first use of a rolled token, and is then named for that.
    """
    return Rule(
        f"{table}.sold",
        "it does not come from a sale: another act, terminal, moment or no transfer",
        f"""
        SELECT '{table}', t.id, t.journal_xid
          FROM {table} t LEFT JOIN journal_act a ON a.journal_xid = t.journal_xid
         WHERE coalesce(a.name, '') NOT IN ('{act}', 'terminal.token')
            OR a.terminal_id <> t.terminal_id OR a.operator_id <> t.operator_id
            OR a.at NOT BETWEEN t.sold_at AND t.sold_at + interval '1 minute'
            OR NOT EXISTS (
               SELECT FROM ledger_transfer x WHERE x.reference = t.uuid
                  AND x.journal_xid = t.journal_xid AND x.amount_cents = t.{amount})
        """,
    )


def register_all() -> None:
    for rule in (CLOCK, AUTHORISATION, ROLES, PROPOSED, DECIDED, SAME):
        register(rule)
