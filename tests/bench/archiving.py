"""Close, archive and retire months as two persons would, and say how many bytes that freed."""

from dataclasses import dataclass
from pathlib import Path

from django.db import connection

from core.journal.acting import name_process
from core.journal.services import batch_seal
from core.periods.archive.removing import entries_remove, retired_remove
from core.periods.archive.retiring import RightStands, retirement_propose
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
    *("promotrot_playact", "promotrot_voucherprint", "promotrot_unprintedvoucher"),
    *("lototrot_prize", "payoffice_claim", "payoffice_payment", "payoffice_retiredpayments"),
)
"""Tables whose rows, or what is in them, leave; and the sums that are written then."""
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
    """Of a retired ticket: the bytes that it left free, and the log that its retirement wrote.

    The log is that of closing the month, writing its archive, retiring and deleting.
    """

    size: float
    wal: float


def freed_by(most: int, folder: Path) -> Freed | None:
    """Return what retiring months frees and writes; None if no month can be retired yet."""
    before, wal = _shrunk(), -wal_bytes()
    tickets = months_retired(most, folder)
    wal += wal_bytes()
    return Freed((before - _shrunk()) / tickets, wal / tickets) if tickets else None


def wal_bytes() -> int:
    """Return how many bytes of write-ahead log there have been."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")
        return int(cursor.fetchone()[0])


def _shrunk() -> int:
    """Return the bytes of what shrinks, written anew without dead rows."""
    owner_execute(*(f"VACUUM FULL {table}" for table in SHRUNK))
    return sum(size for table, size in sizes().items() if table in SHRUNK)
