"""Contribute the ledger, and who sold, to the archive of a period."""

from core.periods.archive.tables import ArchiveTable

_CODE = ("id", "code")

PERIOD_PARTS = ()
ARCHIVE_TABLES = (
    ArchiveTable("ledger_account", "t.opened_at < %(until)s", columns=_CODE),
    ArchiveTable(
        "ledger_transfer",
        "t.id > %(after)s AND t.id <= %(up_to)s AND t.at >= %(since)s AND t.at < %(until)s",
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
    ArchiveTable("payoffice_payment", "t.paid_at >= %(since)s AND t.paid_at < %(until)s"),
)
