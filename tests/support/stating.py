"""Weeks of premises' accounts for tests: two days, and a rate of commission."""

from datetime import UTC, date, datetime
from typing import Any

from core.statements import services
from tests.support import factories

MONDAY = date(2030, 3, 4)
SUNDAY = date(2030, 3, 10)


def at(day: date, hour: int = 12) -> datetime:
    """Move the clock to an hour of a day, in UTC."""
    return factories.time_to(datetime(day.year, day.month, day.day, hour, tzinfo=UTC))


def rate(by: Any, percent: str = "6", since: date = MONDAY, **more: Any) -> Any:
    """Record a rate of commission, of all premises unless one is named."""
    return services.commission_rate_record(
        by=by,
        game="lototrot",
        premises=more.pop("premises", None),
        percent=percent,
        in_force_from=since,
        reference="Contract",
    )
