"""Tell what is over its time in the live store, by kind: tickets, ledger and personal data."""

import calendar
import datetime
from dataclasses import dataclass

from django.conf import settings

from core.kernel.days import add_days, natural_day
from core.ledger.models import Transfer
from core.payoffice.models import DepositImage, Payee
from core.periods.models import ClosedPeriod
from core.periods.services import last_closed


@dataclass(frozen=True, slots=True)
class Over:
    """A month whose rows of a kind are over their time since a day. It need not be closed yet."""

    kind: str
    month: str
    since: datetime.date


def tickets_over(today: datetime.date) -> list[Over]:
    """Return the months whose rows that can be retired should have been, the oldest first.

    TICKETS_LIVE_DAYS says after how many days. Only the oldest month that is not closed is named.
    """
    days = settings.TICKETS_LIVE_DAYS
    waiting = ClosedPeriod.objects.filter(retirement=None, last_day__lt=add_days(today, -days))
    over = [
        Over("tickets", str(period), add_days(period.last_day, days + 1))
        for period in waiting.order_by("number")
    ]
    last_day = _last_day_open()
    if last_day is not None and last_day < add_days(today, -days):
        over.append(Over("tickets", f"{last_day:%Y-%m}", add_days(last_day, days + 1)))
    return over


def ledger_over(today: datetime.date) -> list[Over]:
    """Return the newest closed month whose transfers need not be kept any longer, if there is one.

    LEDGER_KEPT_DAYS says after how many days. Those of the months before it need not be kept
    either; whether their archives are still there, only people know.
    """
    days = settings.LEDGER_KEPT_DAYS
    closed = ClosedPeriod.objects.filter(last_day__lt=add_days(today, -days)).order_by("-number")
    return [Over("ledger", str(each), add_days(each.last_day, days + 1)) for each in closed[:1]]


def personal_data_over(today: datetime.date) -> int:
    """Return how many identities and photographs are readable after their time.

    PAYEE_KEPT_DAYS and IMAGE_KEPT_DAYS decided it when they were stored; a night erases them.
    """
    return sum(
        model.objects.filter(kept_until__lt=today, purged_at=None).count()
        for model in (Payee, DepositImage)
    )


def _last_day_open() -> datetime.date | None:
    """Return the last day of the oldest month that is not closed; None before all transfers."""
    before = last_closed()
    if before is not None:
        first = add_days(before.last_day, 1)
    else:
        begun = Transfer.objects.order_by("pk").first()
        if begun is None:
            return None
        first = natural_day(begun.at)
    return first.replace(day=calendar.monthrange(first.year, first.month)[1])
