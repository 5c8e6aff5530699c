"""Contribute Promotrot's vouchers to the closing of a period, and its plays to the archive.

Acts of players and confirmed prints of vouchers leave with their month (docs/adr/0063), and plays
that won nothing, each ticket with its end (docs/adr/0091).
"""

import datetime

from core.database import clock
from core.kernel.canonical import Json
from core.kernel.days import natural_day
from core.periods.archive.tables import ArchiveTable
from core.periods.parts import PeriodPart, Row
from promotrot.models.emission import ClosingStatement
from promotrot.models.voucher import Voucher


def waits(first: datetime.date, last: datetime.date) -> list[Row]:
    """Return how many vouchers of those days can still be claimed."""
    standing = Voucher.objects.filter(
        issue_day__gte=first, issue_day__lte=last, last_day__gte=natural_day(clock.now())
    ).count()
    return [{"code": "vouchers_standing", "vouchers": standing}] if standing else []


def figures(first: datetime.date, last: datetime.date) -> Json:
    """Return the emissions that were closed on those days, as their closing said."""
    closed = ClosingStatement.objects.select_related("emission").order_by("pk")
    return [
        {
            "emission": closing.emission.reference,
            "shortfall_cents": closing.shortfall_cents,
            "owed_cents": closing.owed_cents,
        }
        for closing in closed
        if first <= natural_day(closing.closed_at) <= last
    ]


PERIOD_PARTS = (PeriodPart("promotrot", waits, figures),)

_SOLD = (
    "SELECT k.id FROM promotrot_playticket k WHERE k.sold_at >= %(since)s AND k.sold_at < %(until)s"
)
_ISSUED = "t.issue_day >= %(first)s AND t.issue_day <= %(last)s"
_PRINT_LATER = """
EXISTS (SELECT FROM promotrot_voucher v WHERE v.id = t.voucher_id AND v.issue_day > %(last)s)
"""
# A print may be confirmed until a week after the last day. A day more is left for one under way. Of
# an old month no voucher is found: an index has the few recent days.
_PRINTABLE = "t.last_day > (SELECT (core_now() AT TIME ZONE 'Europe/Madrid')::date - 9)"

# A ticket comes after the acts of its month, which name it. The other acts stay, and it with them.
_TICKET_LATER = """
(t.sold_at >= %(until)s
 OR EXISTS (SELECT FROM promotrot_playact a WHERE a.ticket_id = t.id AND a.at < %(until)s
               AND a.id > %(last_promotrot_playact)s))
"""
_END_LATER = "(t.ended_at >= %(until)s OR t.ticket_id > %(last_promotrot_playticket)s)"

ARCHIVE_TABLES = (
    ArchiveTable(
        "promotrot_playticket",
        "t.sold_at >= %(since)s AND t.sold_at < %(until)s",
        stays=_TICKET_LATER,
        after=("promotrot_playact",),
    ),
    ArchiveTable(
        "promotrot_playact",
        f"t.ticket_id IN ({_SOLD})",
        stays="t.at >= %(until)s",
    ),
    ArchiveTable(
        "promotrot_playend",
        f"t.ticket_id IN ({_SOLD})",
        stays=_END_LATER,
        after=("promotrot_playticket",),
        with_rows="promotrot_playticket",
        with_column="ticket_id",
    ),
    ArchiveTable("promotrot_voucher", _ISSUED, held=_PRINTABLE, claimed_as="promotrot"),
    ArchiveTable(
        "promotrot_voucherprint",
        f"t.voucher_id IN (SELECT t.id FROM promotrot_voucher t WHERE {_ISSUED})",
        stays=_PRINT_LATER,
    ),
)
