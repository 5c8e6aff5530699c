"""Kinds of rules that bind a row to the act that wrote it: who, when, with what.

Tables are by their names in the database. A row of an act that says nobody (a task, a command) is
bound by what was written with it; that somebody else acted than the row says is always wrong.
"""

from core.journal.rules import Rule

# A row's time is read before it is written, and the act's at its first row; between the two
# simulated time may have been moved, by one of these steps. On real time there is none.
_MOMENT_S = 600
_STEPS = """(SELECT "offset" - lag("offset", 1, interval '0') OVER (ORDER BY id) AS step
               FROM database_clockoffset)"""


def _rule(table: str, name: str, says: str, broken: str) -> Rule:
    """`broken` is what follows FROM, with the row as t."""
    return Rule(
        f"{table}.{name}", says, table, f"SELECT '{table}', t.id, t.journal_xid FROM {broken}"
    )


def stamped(
    table: str,
    at: str,
    *,
    user: str = "",
    session: str = "",
    terminal: str = "",
    operator: str = "",
    unless: str = "",
) -> Rule:
    """The row's time is its act's; and so are the columns that say who, but where `unless` holds.

    A row that two persons make says who proposed: then `unless="proposal_id IS NOT NULL"`.
    """
    who = {"user_id": user, "session_id": session, "terminal_id": terminal, "operator_id": operator}
    other = " OR ".join(f"a.{of} <> t.{column}" for of, column in who.items() if column)
    lag = f"abs(extract(epoch FROM a.at - t.{at}))"
    wrong = (
        f"({lag} > {_MOMENT_S} AND NOT EXISTS (SELECT FROM {_STEPS} m"
        f" WHERE abs({lag} - extract(epoch FROM m.step)) <= {_MOMENT_S}))"
    )
    if other:
        wrong += f" OR NOT coalesce(t.{unless}, false) AND ({other})" if unless else f" OR {other}"
    return _rule(
        table,
        "stamped",
        "it names another time or person than its act",
        f"{table} t JOIN journal_act a ON a.journal_xid = t.journal_xid WHERE {wrong}",
    )


def confirmed(table: str, *, proposal: str = "proposal_id") -> Rule:
    """A row that two persons' confirmation makes, in the transaction of the confirmation."""
    return _rule(
        table,
        "confirmed" if proposal == "proposal_id" else f"{proposal}.confirmed",
        "it is not of the act in which two persons decided it",
        f"""{table} t WHERE t.{proposal} IS NOT NULL AND NOT EXISTS (
            SELECT FROM staff_decision d WHERE d.proposal_id = t.{proposal}
               AND d.verdict = 'confirmed' AND d.journal_xid = t.journal_xid)""",
    )


def with_parent(table: str, parent: str, key: str) -> Rule:
    """A row that is written in the act that writes its parent, and never after it."""
    return _rule(
        table,
        f"with_{parent}",
        f"it is not of the act that made its {parent}",
        f"""{table} t LEFT JOIN {parent} p ON p.id = t.{key}
         WHERE p.journal_xid IS DISTINCT FROM t.journal_xid""",
    )


def with_rows(table: str, *others: tuple[str, str], name: str = "", unless: str = "false") -> Rule:
    """A row that is never written alone: its act wrote a row of one of the others, too.

    Each is a table and a condition between it, as o, and the row, as t.
    """
    present = " OR ".join(
        f"EXISTS (SELECT FROM {other} o WHERE o.journal_xid = t.journal_xid AND {condition})"
        for other, condition in others
    )
    return _rule(
        table,
        name or f"with_{others[0][0]}",
        "what belongs to it is not of its act",
        f"{table} t WHERE NOT coalesce({unless}, false) AND NOT ({present})",
    )


def posted(table: str, amount: str, *, unless: str = "false") -> Rule:
    """A row whose act moved its money: transfers of its UUID, together so many cents."""
    return _rule(
        table,
        "posted",
        "its act did not move its money",
        f"""{table} t WHERE NOT ({unless}) AND {amount} <> (
            SELECT coalesce(sum(x.amount_cents), 0) FROM ledger_transfer x
             WHERE x.reference = t.uuid AND x.journal_xid = t.journal_xid)""",
    )


def published(table: str, kind: str, subject: str) -> Rule:
    """A row that its act published in the public log, under a kind and a subject (SQL on t)."""
    return with_rows(
        table, ("proofs_logentry", f"o.kind = '{kind}' AND o.subject = {subject}"), name="published"
    )


def became(table: str, column: str, value: str, *grounds: tuple[str, str]) -> Rule:
    """A change of a column to a value was of the act that wrote a row of one of `grounds`.

    Each is a table and a condition between it, as o, and the row changed, as t; c is the change.
    """
    present = " OR ".join(
        f"EXISTS (SELECT FROM {other} o WHERE o.journal_xid = c.journal_xid AND {condition})"
        for other, condition in grounds
    )
    return Rule(
        f"{table}.{column}_{value}",
        f"{column} became {value} in an act that gives no reason",
        table,
        f"""SELECT '{table}', t.id, c.journal_xid
              FROM journal_change c JOIN {table} t ON t.id = c.row_id
             WHERE c.relation = '{table}' AND c.after ->> '{column}' = '{value}'
               AND NOT ({present})""",
    )


def sold(table: str, *, act: str, amount: str) -> Rule:
    """A ticket is of a sale: by that terminal and operator, at that moment, with its transfer.

    A sale may be the first use of a rolled token, and is then named for that.
    """
    return _rule(
        table,
        "sold",
        "it does not come from a sale: another act, terminal, moment or no transfer",
        f"""{table} t LEFT JOIN journal_act a ON a.journal_xid = t.journal_xid
         WHERE coalesce(a.name, '') NOT IN ('{act}', 'terminal.token')
            OR a.terminal_id IS DISTINCT FROM t.terminal_id OR a.operator_id <> t.operator_id
            OR a.at NOT BETWEEN t.sold_at AND t.sold_at + interval '1 minute'
            OR NOT EXISTS (
               SELECT FROM ledger_transfer x WHERE x.reference = t.uuid
                  AND x.journal_xid = t.journal_xid AND x.amount_cents = t.{amount})""",
    )
