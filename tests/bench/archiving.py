"""Close, archive and retire months as two persons would, and say how many bytes that freed."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from django.db import connection

from core.journal.acting import name_process
from core.journal.services import batch_seal
from core.periods.archive.removing import entries_remove, retired_remove
from core.periods.archive.retiring import RightStands, retirement_propose
from core.periods.archive.tables import retiring_tables
from core.periods.archive.writing import archive_write
from core.periods.models import ClosedPeriod
from core.periods.services import NothingToClose, PeriodUnfinished, period_propose
from core.staff import two_persons
from core.staff.powers import Role
from tests.bench.store import owner_execute
from tests.support import factories
from tests.support.history import acts
from tests.support.history.weeks import History

SHRUNK = (
    *("journal_act", "journal_block", "lototrot_printconfirmation", "lototrot_ticket"),
    *("ledger_transfer", "ledger_openingbalance", "lototrot_void"),
    *("lototrot_retiredsales", "lototrot_retiredmarks", "lototrot_retiredprizes"),
    *("lototrot_displayacknowledgement", "statements_mark", "statements_markedbalance"),
    *("statements_statement", "statements_remittance", "statements_retiredstatements"),
    *("statements_retiredcommission", "statements_retiredremittances"),
    *("promotrot_playact", "promotrot_voucherprint", "promotrot_unprintedvoucher"),
    *("promotrot_playticket", "promotrot_playend", "promotrot_retiredplays"),
    *("lototrot_prize", "payoffice_claim", "payoffice_payment", "payoffice_retiredpayments"),
)
"""Tables whose rows, or what is in them, leave; and the sums that are written then."""
OF_TICKETS = {
    "lototrot_ticket": "true",
    "lototrot_void": "true",
    "lototrot_printconfirmation": "true",
    "ledger_transfer": "true",
    "lototrot_prize": "true",
    "payoffice_claim": "t.game = 'lototrot'",
    "payoffice_payment": "EXISTS (SELECT FROM payoffice_claim k"
    " WHERE k.id = t.claim_id AND k.game = 'lototrot')",
}
"""The tables of a ticket's own rows, and which of their rows are of tickets. Acts and sealed
entries come with them."""
SUMS_OF_TICKETS = (
    *("lototrot_retiredsales", "lototrot_retiredmarks", "lototrot_retiredprizes"),
    *("payoffice_retiredpayments", "ledger_openingbalance"),
)
"""The sums and balances in the place of tickets and transfers that left."""
_STAYING = """
SELECT t.journal_xid FROM "{table}" t JOIN periods_retiredrows r
    ON r.relation = '{table}' AND t.{key} BETWEEN r.first_row AND r.last_row WHERE {where}
"""
_ENTRIES_KEPT = """
SELECT coalesce(sum(octet_length(coalesce(b.entries, '') || coalesce(b.short, ''))), 0)
  FROM journal_block b JOIN journal_rowform f ON f.id = b.row_form_id
  JOIN periods_retiredrows r ON r.relation = f.relation AND b.batch_id <= r.last_batch
 WHERE f.relation = ANY (%s) AND r.id = (
       SELECT max(n.id) FROM periods_retiredrows n WHERE n.relation = f.relation)
"""
_SIZES = """
SELECT relname, pg_total_relation_size(c.oid) FROM pg_class c
 WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
"""


def sizes() -> dict[str, int]:
    """Return the bytes of each table with its indexes."""
    with connection.cursor() as cursor:
        cursor.execute(_SIZES)
        return {name: int(size) for name, size in cursor.fetchall()}


def sold_and_printed(history: History, count: int) -> float:
    """Put the next meeting on sale, sell so many tickets of it, print and seal them. Return the
    bytes that all tables and their indexes grew by, a ticket.
    """
    contest = history.on_sale()
    _sealed()
    before = sum(sizes().values())
    history.sell(contest, count)
    acts.print_all(contest, count)
    _sealed()
    return (sum(sizes().values()) - before) / count


def _sealed() -> None:
    while batch_seal() is not None:
        pass


def months_retired(most: int, folder: Path) -> int:
    """Retire up to so many of the oldest months; return how many Lototrot tickets they have."""
    tickets = 0
    for _ in range(most):
        try:
            closing = period_propose(by=factories.staff(Role.ORGANISER))
        except (NothingToClose, PeriodUnfinished):
            break
        two_persons.confirm(proposal=closing.uuid, by=factories.staff(Role.AUDITOR))
        period = ClosedPeriod.objects.order_by("-number")[0]
        name_process("command:bench")
        archive = archive_write(period=period, folder=folder)
        batch_seal()
        try:
            retiring = retirement_propose(
                by=factories.staff(Role.ORGANISER), number=period.number, kept=str(folder)
            )
        except RightStands:  # prints of its vouchers may still be confirmed
            break
        two_persons.confirm(proposal=retiring.uuid, by=factories.staff(Role.AUDITOR))
        retired_remove()
        entries_remove()
        entry = archive.table("lototrot_ticket")
        tickets += int(entry["retires"]["rows"]) if entry else 0
    name_process("command:bench")
    return tickets


@dataclass(frozen=True, slots=True)
class Freed:
    """Of a retired ticket: the bytes that it left free, the log that its retirement wrote, and the
    bytes that stay of its own rows and of their sums, by table.

    The log is that of closing the month, writing its archive, retiring and deleting.
    """

    size: float
    wal: float
    stays: Mapping[str, float]


def freed_by(most: int, folder: Path) -> Freed | None:
    """Return what retiring months frees and writes; None if no month can be retired yet."""
    before, wal = _shrink(), -wal_bytes()
    tickets = months_retired(most, folder)
    wal += wal_bytes()
    if not tickets:
        return None
    size = before - _shrink()
    return Freed(size / tickets, wal / tickets, _stays_of(tickets))


def stays_of(tickets: int) -> dict[str, float]:
    """Return the bytes that stay of one of so many retired tickets, by table."""
    _shrink()
    return _stays_of(tickets)


def _stays_of(tickets: int) -> dict[str, float]:
    return {table: stays / tickets for table, stays in stays_of_tickets().items()}


def stays_of_tickets() -> dict[str, float]:
    """Return the bytes that stay of retired tickets, by table: of their own rows, of the acts of
    these and of their sealed entries, and of the sums that were written in their place.

    A row takes what the rows of its table take in the mean, indexes included. No page of an empty
    table counts.
    """
    each, staying = sizes(), {}
    with connection.cursor() as cursor:

        def number(query: str, *values: object) -> float:
            cursor.execute(query, values)
            return float(cursor.fetchone()[0])

        def of_rows(table: str, rows: str) -> float:
            here = number(f"SELECT count(*) FROM ({rows}) rows")
            return here and here * each[table] / number(f'SELECT count(*) FROM "{table}"')

        keys = {table.name: table.key for table in retiring_tables()}
        rows = {
            table: _STAYING.format(table=table, key=keys[table], where=where)
            for table, where in OF_TICKETS.items()
        }
        for table, stay in rows.items():
            staying[table] = of_rows(table, stay)
        acts = _STAYING.format(
            table="journal_act",
            key="journal_xid",
            where=f"t.journal_xid IN ({' UNION '.join(rows.values())})",
        )
        staying["journal_act"] = of_rows("journal_act", acts)
        staying["journal_block"] = number(_ENTRIES_KEPT, list(OF_TICKETS))
        for table in SUMS_OF_TICKETS:
            staying[table] = of_rows(table, f'SELECT FROM "{table}"')
    return staying


def wal_bytes() -> int:
    """Return how many bytes of write-ahead log there have been."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")
        return int(cursor.fetchone()[0])


def _shrink() -> int:
    """Write what shrinks anew, without dead rows. Return its bytes."""
    owner_execute(*(f"VACUUM FULL {table}" for table in SHRUNK))
    return sum(size for table, size in sizes().items() if table in SHRUNK)
