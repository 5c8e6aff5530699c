"""Check the payment order of a meeting. Used by settlement.py."""

from datetime import date, timedelta
from typing import Any

from entry import same
from forms import need
from public_log import Log

KIND, ORDER = "lototrot.settlement", "lototrot.payment_order"


def check_order(log: Log, certificate: dict[str, Any]) -> str:
    """Check the days of the payment order (8.1, 10.2) [D7]; return its last day in words.

    A day of the order may be one later than that of its instant in UTC.
    """
    settlement = certificate["settlement"]
    if not log.has(ORDER, settlement):
        return ""
    order = log.document(ORDER, settlement)
    same(order, {"certificate": log.digest(KIND, settlement)}, ORDER)
    established = max(race["official_at"] for race in certificate["races"])
    for name, at in (("results_day", established), ("ordered_on", order["ordered_at"])):
        late = date.fromisoformat(order[name]) - date.fromisoformat(at[:10])
        need(late.days in (0, 1), f"{ORDER}.{name}", "not the day of its instant")
    counted_from = max(
        date.fromisoformat(each) for each in (order["results_day"], certificate["day"])
    )
    first = counted_from + timedelta(days=1)
    counted_from = max(counted_from, date.fromisoformat(order["ordered_on"]) - timedelta(days=1))
    last = (counted_from + timedelta(days=order["claim_days"])).isoformat()
    same(order, {"first_pay_day": first.isoformat(), "last_claim_day": last}, ORDER)
    return f"; payable until {last}"
