"""List the rules between closed periods and the acts that closed them."""

from core.journal.binding import as_named, confirmed, published, stamped, with_parent, with_rows
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

# What the public log calls retired was retired by two persons, and is what they retired.
RETIRED = Rule(
    "retired_as_published",
    "rows were published as retired that no two persons retired",
    "proofs_logentry",
    """
    SELECT 'proofs_logentry', e.id, e.journal_xid
      FROM proofs_logentry e LEFT JOIN periods_retirement r ON r.entry_id = e.id
     WHERE e.kind = 'periods.retired' AND (r.journal_xid IS DISTINCT FROM e.journal_xid
        OR e.document -> 'journal' IS DISTINCT FROM (
            SELECT p.document -> 'journal' FROM periods_closedperiod p WHERE p.id = r.period_id)
        OR e.document -> 'tables' <> (
            SELECT coalesce(jsonb_agg(jsonb_build_object('table', d.relation, 'rows', d.count,
                       'first_row', d.first_row, 'last_row', d.last_row,
                       'leaves', d.leaves, 'entries_sha256', d.sha256,
                       'staying_sha256', d.staying_sha256,
                       'last_batch', d.last_batch) ORDER BY d.relation), '[]')
              FROM periods_retiredrows d WHERE d.retirement_id = r.id))
    """,
)

# A name was erased by two persons or by the command for restored backups, and the log tells it.
NAME_ERASED = Rule(
    "name_erased_as_published",
    "a name was erased that no two persons erased, or of which the public log says nothing",
    "staff_user",
    " UNION ALL ".join(
        f"""
    SELECT c.relation, c.row_id, c.journal_xid
      FROM journal_change c JOIN journal_act a ON a.journal_xid = c.journal_xid
      JOIN journal_source s ON s.id = a.source_id JOIN {table} t ON t.id = c.row_id
     WHERE c.relation = '{table}' AND c.after ? 'name_erased_at'
       AND NOT (EXISTS (
            SELECT FROM proofs_logentry e
             WHERE e.journal_xid = c.journal_xid AND e.kind = 'periods.names_erased'
               AND e.document -> '{field}' ? encode(sha256(t.name_encrypted), 'hex'))
        AND (a.user_id IS NULL AND s.name = 'command:names_erase_again' OR EXISTS (
            SELECT FROM staff_decision d JOIN staff_proposal p ON p.id = d.proposal_id
             WHERE d.journal_xid = c.journal_xid AND d.verdict = 'confirmed'
               AND p.kind = 'periods.names' AND p.content -> '{field}' @> to_jsonb(c.row_id))))
    """
        for field, table in (
            ("names_of_staff", "staff_user"),
            ("names_of_operators", "premises_operator"),
        )
    ),
)

RULES: tuple[Rule, ...] = (
    LATE,
    stamped("periods_closedperiod", "closed_at"),
    confirmed("periods_closedperiod"),
    as_named("periods_closedperiod"),
    published(
        "periods_closedperiod", "periods.closed", "'period:' || to_char(t.first_day, 'YYYY-MM')"
    ),
    with_parent("periods_periodbalance", "periods_closedperiod", "period_id"),
    stamped("periods_archive", "written_at"),
    stamped("periods_retirement", "retired_at"),
    confirmed("periods_retirement"),
    as_named("periods_retirement"),
    published(
        "periods_retirement",
        "periods.retired",
        "(SELECT 'period:' || to_char(p.first_day, 'YYYY-MM') FROM periods_closedperiod p"
        " WHERE p.id = t.period_id)",
    ),
    with_parent("periods_retiredrows", "periods_retirement", "retirement_id"),
    with_rows("ledger_openingbalance", ("periods_retirement", "true")),
    RETIRED,
    NAME_ERASED,
)
