"""Write the opening balances of a retired month, and compare them with what was published.

The retirement publishes which transfers an opening adds to the one before it, and the digest of
what these add to each account. The closing of the month has published the balances at its end. So
an opening follows from the transfers in the archive, and the balances follow from the opening.
"""

from core.database.reading.asking import fetch_value
from core.kernel.canonical import Json
from core.ledger import openings
from core.periods.models import ClosedPeriod, Retirement

OPENING, TRANSFERS = "ledger_openingbalance", "ledger_transfer"
_LAST_XID = "SELECT coalesce(max(journal_xid), 0) FROM ledger_transfer WHERE id BETWEEN %s AND %s"


def opening_document(first_row: int, last_row: int) -> dict[str, Json]:
    """Return what a retirement publishes of its opening: of the transfers that leave with it.

    `last_xid` is the last of their transactions. From then on, no rule of the journal asks rows of
    before it for their transfers (`core.journal.binding.LEFT`).
    """
    last_xid: int = fetch_value(_LAST_XID, [first_row, last_row])
    sums = openings.moved(first_row - 1, last_row)
    return {**openings.document(first_row - 1, last_row, sums), "last_xid": last_xid}


def opening_write(retirement: Retirement) -> None:
    """Write the opening that a retirement has published.

    A month without transfers has none: the one before stands.
    """
    published = retirement.entry.document["openings"]
    if published["last_row"] >= published["first_row"]:
        openings.opening_make(
            after=published["first_row"] - 1,
            up_to=published["last_row"],
            ends_at=retirement.period.ends_at,
        )


def balances_hold(period: ClosedPeriod) -> bool:
    """Return whether the ledger still has the balances with which a month was closed.

    They are summed from the newest opening of before the end of the month and the transfers since.
    """
    stored = period.cents_by_account()
    held = {ident: cents for ident, _, _, cents in openings.balances_before(period.ends_at)}
    return stored == {account: cents for account, cents in held.items() if cents}


def opening_differs(period: ClosedPeriod) -> list[str]:
    """Return the names of what differs of the opening of a month; nothing if it is not retired.

    It must have more than the one before just what was published. That of the last retired month
    must lead to the balances with which the month was closed.
    """
    retirement = Retirement.objects.filter(period=period).select_related("entry").first()
    if retirement is None:
        return []
    published = retirement.entry.document["openings"]
    after, up_to = published["first_row"] - 1, published["last_row"]
    differ = []
    added = openings.document(after, up_to, openings.between(after, up_to))
    if {**published, **added} != published:
        differ.append("opening")
    later = Retirement.objects.filter(period__number__gt=period.number)
    if not later.exists() and not balances_hold(period):
        differ.append("opening_balances")
    return differ
