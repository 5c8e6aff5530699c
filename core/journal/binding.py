"""Make journal rules that bind a row to the act that wrote it: who, when, and with which rows.

Tables are named as in the database. Where the act names no person (a task, a command), the row is
bound by the rows that were written with it. A row that names another person than its act is always
wrong.
"""

from django.db.models import ForeignKey, Model

from core.journal.rules import END, FIRST, Rule

# A row's time is read before the row is written, the act's time at its first row. Simulated time
# may move between the two, by one of these steps. On real time there are no steps.
_MOMENT_S = 600
_STEPS = """(SELECT "offset" - lag("offset", 1, interval '0') OVER (ORDER BY id) AS step
               FROM database_clockoffset)"""

# A part of the journal is verified without reading the past: the planner cannot infer that rows
# of the same act belong to the same part, and would read whole tables for it.
_OF_PART = f"{{0}}.journal_xid >= {FIRST} AND {{0}}.journal_xid < {END}"


LEFT = """(SELECT coalesce(max((e.document -> 'openings' ->> 'last_xid')::bigint), 0)
            FROM proofs_logentry e WHERE e.kind = 'periods.retired')"""
"""SQL of the last transaction whose transfers may have left with a retired month.

Rows of transactions up to it are not asked for their transfers any more: nights did that, and all
of them were as they were sealed when the month was retired. The journal itself names a transfer
that is missing and is of no retired range.
"""


def _rule(table: str, name: str, says: str, broken: str, key: str = "id") -> Rule:
    """Return a rule of a table; `broken` is the SQL after FROM, with the row as t."""
    query = f"SELECT '{table}', t.{key}, t.journal_xid FROM {broken}"
    return Rule(f"{table}.{name}", says, table, query)


def at_another_time(instant: str) -> str:
    """Return the condition that an instant, SQL, is not that of the act, which is a."""
    lag = f"abs(extract(epoch FROM a.at - {instant}))"
    return (
        f"({lag} > {_MOMENT_S} AND NOT EXISTS (SELECT FROM {_STEPS} m"
        f" WHERE abs({lag} - extract(epoch FROM m.step)) <= {_MOMENT_S}))"
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
    only: str = "true",
    key: str = "id",
) -> Rule:
    """Return the rule that the row's time, and the columns that name who, agree with the act.

    It is about the rows for which `only` (SQL on t) holds; `key` is the primary key. Where `unless`
    holds, only the time must agree. A row that two persons make names the proposer: then
    `unless="proposal_id IS NOT NULL"`.
    """
    who = {"user_id": user, "session_id": session, "terminal_id": terminal, "operator_id": operator}
    other = " OR ".join(f"a.{of} <> t.{column}" for of, column in who.items() if column)
    wrong = at_another_time(f"t.{at}")
    if other:
        wrong += f" OR NOT coalesce(t.{unless}, false) AND ({other})" if unless else f" OR {other}"
    return _rule(
        table,
        "stamped",
        "it names another time or person than its act",
        f"{table} t JOIN journal_act a ON a.journal_xid = t.journal_xid AND {only} WHERE {wrong}",
        key,
    )


def confirmed(table: str, *, proposal: str = "proposal_id") -> Rule:
    """Return the rule that a proposed row is written in the transaction of its confirmation."""
    return _rule(
        table,
        "confirmed" if proposal == "proposal_id" else f"{proposal}.confirmed",
        "it is not of the act in which two persons decided it",
        f"""{table} t WHERE t.{proposal} IS NOT NULL AND NOT EXISTS (
            SELECT FROM staff_decision d WHERE d.proposal_id = t.{proposal}
               AND d.verdict = 'confirmed' AND d.journal_xid = t.journal_xid)""",
    )


_AS_NAMED = "it is not what two persons confirmed"


def as_named(table: str, *, proposal: str = "proposal_id") -> Rule:
    """Return the rule that a proposed row is what two persons confirmed.

    Each table's `staff_proposes` says what that is, in the `sql` of its app. The database asks it
    too, before it takes such a row.
    """
    return _rule(
        table,
        "as_named" if proposal == "proposal_id" else f"{proposal}.as_named",
        _AS_NAMED,
        f"""{table} t JOIN staff_proposal p ON p.id = t.{proposal}
         WHERE staff_proposes(p, t) IS NOT TRUE""",
    )


def changed_as_named(table: str, *, proposal: str) -> Rule:
    """Return the rule that a row was changed as two persons confirmed, where its proposal came
    later than the row.
    """
    return Rule(
        f"{table}.{proposal}.as_named",
        _AS_NAMED,
        table,
        f"""SELECT '{table}', t.id, c.journal_xid
              FROM journal_change c JOIN {table} t ON t.id = c.row_id
              JOIN staff_proposal p ON p.id = t.{proposal}
             WHERE c.relation = '{table}' AND c.after ->> '{proposal}' IS NOT NULL
               AND staff_proposes(p, t) IS NOT TRUE""",
    )


def with_parent(table: str, parent: str, key: str) -> Rule:
    """Return the rule that the act which writes the parent writes the row too, and no later act."""
    return _rule(
        table,
        f"with_{parent}",
        f"it is not of the act that made its {parent}",
        f"""{table} t LEFT JOIN {parent} p ON p.id = t.{key}
         WHERE p.journal_xid IS DISTINCT FROM t.journal_xid""",
    )


def with_rows(table: str, *others: tuple[str, str], name: str = "", unless: str = "false") -> Rule:
    """Return the rule that the act which writes the row also writes a row of one of the others.

    Each of `others` is a table and a condition between its row, as o, and the row, as t.
    """
    present = " OR ".join(
        f"EXISTS (SELECT FROM {other} o WHERE o.journal_xid = t.journal_xid"
        f" AND {_OF_PART.format('o')} AND {condition})"
        for other, condition in others
    )
    return _rule(
        table,
        name or f"with_{others[0][0]}",
        "what belongs to it is not of its act",
        f"{table} t WHERE NOT coalesce({unless}, false) AND NOT ({present})",
    )


def posted(table: str, amount: str, *, unless: str = "false") -> Rule:
    """Return the rule that the act of the row moved its money.

    The transfers with the row's UUID as reference must sum to `amount` (SQL on t, in cents). Rows
    whose transfers may have left (`LEFT`) are not looked at.
    """
    # A reference has few transfers, and an act may have thousands. So the index of references must
    # find them. With `=` the planner sometimes takes that of acts, for each row again.
    return _rule(
        table,
        "posted",
        "its act did not move its money",
        f"""{table} t WHERE t.journal_xid > {LEFT} AND NOT ({unless}) AND {amount} <> (
            SELECT coalesce(sum(x.amount_cents), 0) FROM ledger_transfer x
             WHERE x.reference = t.uuid AND x.journal_xid IS NOT DISTINCT FROM t.journal_xid)""",
    )


def published(table: str, kind: str, subject: str) -> Rule:
    """Return the rule that the act of the row published it in the public log.

    `kind` and `subject` (SQL on t) are those of the log entry.
    """
    return with_rows(
        table, ("proofs_logentry", f"o.kind = '{kind}' AND o.subject = {subject}"), name="published"
    )


def became(table: str, column: str, value: str, *grounds: tuple[str, str]) -> Rule:
    """Return the rule that a column became a value in the act which wrote a row of one of
    `grounds`.

    Each of `grounds` is a table and a condition between its row, as o, and the changed row, as t; c
    is the change.
    """
    present = " OR ".join(
        f"EXISTS (SELECT FROM {other} o WHERE o.journal_xid = c.journal_xid"
        f" AND {_OF_PART.format('o')} AND {condition})"
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


def there(model: type[Model]) -> Rule | None:
    """Return the rule that each row which a row names is there, for keys without a constraint.

    A constraint would lock one row of premises, terminal, contest and account with every sale
    (docs/adr/0030). None for a model that has no such key.
    """
    table, key = model._meta.db_table, model._meta.pk.column
    missing = [
        f"""SELECT '{table}', t.{key}, t.journal_xid FROM {table} t
         LEFT JOIN {field.related_model._meta.db_table} p ON p.id = t.{field.column}
         WHERE p.id IS NULL AND t.{field.column} IS NOT NULL"""
        for field in model._meta.concrete_fields
        if isinstance(field, ForeignKey) and not getattr(field, "db_constraint", True)
    ]
    if not missing:
        return None
    return Rule(
        f"{table}.there", "it names a row that is not there", table, " UNION ".join(missing)
    )


def sold(table: str, *, act: str, amount: str) -> Rule:
    """Return the rule that a ticket comes from a sale.

    Its act is the sale by its terminal and operator, at its time, with its transfer. A sale may be
    the first use of a rolled token; its act is then named `terminal.token`.
    """
    return _rule(
        table,
        "sold",
        "it does not come from a sale: another act, terminal, moment or no transfer",
        f"""{table} t LEFT JOIN journal_act a
            ON a.journal_xid = t.journal_xid AND {_OF_PART.format("a")}
          LEFT JOIN journal_source s ON s.id = a.source_id
         WHERE coalesce(s.name, '') NOT IN ('{act}', 'terminal.token')
            OR a.terminal_id IS DISTINCT FROM t.terminal_id OR a.operator_id <> t.operator_id
            OR a.at NOT BETWEEN t.sold_at AND t.sold_at + interval '1 minute'
            OR t.journal_xid > {LEFT} AND NOT EXISTS (
               SELECT FROM ledger_transfer x WHERE x.reference = t.uuid
                  AND x.journal_xid = t.journal_xid AND {_OF_PART.format("x")}
                  AND x.amount_cents = t.{amount})""",
    )
