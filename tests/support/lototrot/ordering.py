"""State the days of a payment order, and the proposal of one."""

from datetime import date
from typing import Any

from core.database import clock
from core.kernel.days import natural_day
from lototrot.engine.dates import first_pay_day, last_claim_day
from lototrot.models.contest import Contest
from lototrot.models.settlement import Settlement


def terms(of: Contest, *, results_day: date | None = None, claim_days: int = 30) -> dict[str, Any]:
    """Return the instant and the days of a payment order that is given now."""
    now = clock.now()
    today = natural_day(now)
    results_day = results_day or today
    return {
        "ordered_at": now,
        "results_day": results_day,
        "first_pay_day": first_pay_day(of.day, results_day),
        "last_claim_day": last_claim_day(of.day, results_day, claim_days, order_day=today),
        "claim_days": claim_days,
    }


def order_of(settlement: Settlement, days: dict[str, Any]) -> dict[str, Any]:
    """Return the content of the proposal of an order of payment on these days (`terms`)."""
    named = ("results_day", "first_pay_day", "last_claim_day")
    return {
        "contest": settlement.contest_id,
        "settlement": str(settlement.uuid),
        **{name: days[name].isoformat() for name in named},
    }
