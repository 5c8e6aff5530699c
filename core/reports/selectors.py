"""Read reports for those who may read them."""

import datetime

from core.database import clock
from core.database.reading.limits import limited
from core.database.reading.snapshot import only_reading
from core.database.reading.standby import read_much
from core.kernel.days import add_days, natural_day
from core.looks.recording import REPORT, look
from core.reports import powers, tables
from core.reports.tables import Period, Report, Table
from core.staff.actor import StaffActor

DAYS_SHOWN = 30


def reports(*, by: StaffActor) -> list[Report]:
    by.need(powers.READ)
    return tables.reports()


def report(
    *,
    by: StaffActor,
    name: str,
    first: datetime.date | None = None,
    last: datetime.date | None = None,
    limit_s: float | None = None,
) -> Table:
    """Return a report over a period (default: the last thirty days), and record the look.

    No statement takes longer than `limit_s` (default: READING_LIMIT_S, for a request). Raises
    ReportUnknown, PeriodRefused, ReadingTooLong.
    """
    by.need(powers.READ)
    definition = tables.report_named(name)
    begin, end = days_asked(first, last)
    look(REPORT, name, asked=f"{begin} {end}")

    @limited(limit_s)
    @only_reading()
    def read() -> Table:
        return tables.table(definition, Period(begin, end))

    return read_much(read)


def days_asked(
    first: datetime.date | None, last: datetime.date | None
) -> tuple[datetime.date, datetime.date]:
    """Return the first and last day of a period, those of the last thirty days by default."""
    end = last or natural_day(clock.now())
    return first or add_days(end, 1 - DAYS_SHOWN), end
