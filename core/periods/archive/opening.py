"""Write the opening balances of a retired month, and compare them with what was published.

The retirement publishes which transfers an opening adds to the one before it, and the digest of
what these add to each account. The closing of the month has published the balances at its end. So
an opening follows from the transfers in the archive, and the balances follow from the opening.
"""

from core.kernel.canonical import Json
from core.ledger import openings
from core.periods.models import ClosedPeriod, Retirement

OPENING = "ledger_openingbalance"


def opening_document(period: ClosedPeriod) -> dict[str, Json]:
    """Return what the retirement of the next month publishes of its opening."""
    after = openings.newest()
    up_to = openings.last_before(period.ends_at, after=after)
    return openings.document(after, up_to, openings.moved(after, up_to))


def opening_write(retirement: Retirement) -> int:
    """Write the opening that a retirement has published; return its number of accounts.

    A month without transfers has none: the one before stands.
    """
    told = retirement.entry.document["openings"]
    if not told["accounts"]:
        return 0
    return openings.opening_make(
        after=told["first_row"] - 1, up_to=told["last_row"], ends_at=retirement.period.ends_at
    )


def balances_hold(period: ClosedPeriod) -> bool:
    """Return whether the ledger has the balances with which a month was closed, by its newest
    opening of before the end of the month and the transfers since.
    """
    stored = dict(period.balances.values_list("account_id", "balance_cents"))
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
    told = retirement.entry.document["openings"]
    after, up_to = told["first_row"] - 1, told["last_row"]
    differ = []
    if openings.document(after, up_to, openings.between(after, up_to)) != told:
        differ.append("opening")
    later = Retirement.objects.filter(period__number__gt=period.number)
    if not later.exists() and not balances_hold(period):
        differ.append("opening_balances")
    return differ
