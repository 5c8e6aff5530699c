"""Contribute the ledger and its marks, statements and their payments, who sold, and what the
journal sealed to the archive of a period.
"""

from core.periods.archive.tables import ArchiveTable

_CODE = ("id", "code")
# The statement of a week is made from its transfers: no week that begins in the month may be due.
# Of a month that is stated the database reads no transfer.
_UNSTATED_SINCE = """
(SELECT date_trunc('month', (1 + coalesce(max(s.week_to), CASE WHEN EXISTS (
            SELECT FROM statements_till) THEN '-infinity'::date ELSE 'infinity' END))::timestamp)
        AT TIME ZONE 'Europe/Madrid' FROM statements_statement s)
"""
_NOT_STATED = f"{_UNSTATED_SINCE} < %(until)s AND t.at >= {_UNSTATED_SINCE}"
_NUMBERS = "t.number > %(after_batch)s AND t.number <= %(last_batch)s"
_BATCHES = "batch_id > %(after_batch)s AND {}batch_id <= %(last_batch)s"

# An act is of the month, and of rows that all retire with the month or before it.
_ACT_LATER = "(t.at >= %(until)s OR t.journal_xid >= %(later_xid)s)"

# A balance is summed from the newest mark or opening. Marks of before that opening leave.
_NEEDED = "up_to > %(last_ledger_transfer)s"
_BALANCE_NEEDED = f"""
EXISTS (SELECT FROM statements_mark m WHERE m.id = t.mark_id AND m.{_NEEDED})
"""
_MARK_NEEDED = f"""
(t.{_NEEDED} OR EXISTS (SELECT FROM statements_markedbalance b WHERE b.mark_id = t.id
                           AND b.id > %(last_statements_markedbalance)s))
"""

# Debts by age read the weeks of 90 days. What is left of a statement is reckoned from its payments,
# and from those since the week of the newest one, which is of the month or later.
_WEEK_READ = "(t.week_to > %(last)s::date - 91 OR t.issued_at >= %(until)s)"
_PAYMENT_READ = """
(t.recorded_at >= %(until)s OR t.statement_id > %(last_statements_statement)s)
"""

PERIOD_PARTS = ()
ARCHIVE_TABLES = (
    ArchiveTable("journal_act", stays=_ACT_LATER, last=True, key="journal_xid"),
    # The heads of these batches prove the blocks: that of the last one was published.
    ArchiveTable("journal_batch", _NUMBERS, key="number"),
    # What the rows of the month are compared with when their sealed entries have left.
    ArchiveTable(
        "journal_block",
        "t." + _BATCHES.format("t."),
        columns=("batch_id", "entries", "id", "position", "row_form_id", "rows", "sha256"),
    ),
    # Its acts name their sources, which stay; it can be read without them.
    ArchiveTable(
        "journal_source",
        "EXISTS (SELECT FROM journal_act a"
        " WHERE a.journal_xid = t.journal_xid AND a.at < %(until)s)",
    ),
    ArchiveTable(
        "journal_rowform",
        f"t.id IN (SELECT b.row_form_id FROM journal_block b WHERE b.{_BATCHES.format('b.')})",
    ),
    ArchiveTable("ledger_account", "t.opened_at < %(until)s", columns=_CODE),
    ArchiveTable(
        "ledger_transfer",
        "t.id > %(after)s AND t.id <= %(up_to)s AND t.at >= %(since)s AND t.at < %(until)s",
        stays="t.at >= %(until)s",
        held=_NOT_STATED,
    ),
    ArchiveTable(
        "periods_closedperiod", "t.number IN (%(number)s, %(number)s - 1)", columns=("id", "number")
    ),
    ArchiveTable(
        "periods_periodbalance",
        "t.period_id IN (SELECT p.id FROM periods_closedperiod p"
        " WHERE p.number IN (%(number)s, %(number)s - 1))",
    ),
    ArchiveTable("premises_premises", "t.created_at < %(until)s", columns=_CODE),
    ArchiveTable("premises_terminal", "t.created_at < %(until)s", columns=(*_CODE, "premises_id")),
    ArchiveTable("statements_markedbalance", stays=_BALANCE_NEEDED, after=("ledger_transfer",)),
    ArchiveTable(
        "statements_mark",
        stays=_MARK_NEEDED,
        after=("ledger_transfer", "statements_markedbalance"),
    ),
    ArchiveTable("statements_statement", stays=_WEEK_READ, acts_stay=True),
    ArchiveTable(
        "statements_remittance",
        stays=_PAYMENT_READ,
        after=("statements_statement",),
        with_rows="statements_statement",
        with_column="statement_id",
        acts_stay=True,
    ),
)
