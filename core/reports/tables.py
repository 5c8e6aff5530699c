"""Define reports: named tables over a period, filled by the core and by the games.

Each app gives its part as `REPORTS` in its `reports.py`: the reports that it defines, and its rows
of any report. So one table of sales has the sales of every game.
"""

import datetime
import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.functional import Promise

from core.contributions import contributions, without_repetition
from core.kernel.days import add_days
from core.kernel.errors import Invalid, NotFound

Text = str | Promise
Row = tuple[Any, ...]
MOST_DAYS = 3700


class ReportUnknown(NotFound):
    code = "report_unknown"
    message = "There is no such report."


class PeriodRefused(Invalid):
    code = "period_refused"
    message = "A report's period begins before it ends, and covers ten years at most."


class Kind(enum.StrEnum):
    """The kinds of column. Cents are whole euro cents."""

    TEXT = "text"
    DAY = "day"
    MOMENT = "moment"
    WHOLE = "whole"
    CENTS = "cents"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table. `summed` is true if its total makes sense."""

    name: str
    title: Text
    kind: Kind = Kind.TEXT
    summed: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """A chart: the `values` columns summed by `label`. A series over time is drawn as a line."""

    label: str
    values: Sequence[str]
    line: bool = False


@dataclass(frozen=True, slots=True)
class Period:
    """A period of natural days, both ends included."""

    first: datetime.date
    last: datetime.date

    def __post_init__(self) -> None:
        if not 0 <= (self.last - self.first).days <= MOST_DAYS:
            raise PeriodRefused(first=self.first.isoformat(), last=self.last.isoformat())

    def before(self) -> "Period":
        """Return the period of as many days that ends on the day before. Raises DayOutOfRange."""
        return self._earlier((self.last - self.first).days + 1)

    def year_before(self) -> "Period":
        """Return the same days of the week, 52 weeks before. Raises DayOutOfRange."""
        return self._earlier(52 * 7)

    def _earlier(self, days: int) -> "Period":
        return Period(add_days(self.first, -days), add_days(self.last, -days))


Rows = Callable[[Period], Iterable[Row]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The definition of a report. `dated` is False if it shows the present, whatever the period."""

    name: str
    title: Text
    about: Text
    columns: Sequence[Column]
    order: int
    picture: Picture | None = None
    dated: bool = True

    def column(self, name: str) -> int:
        """Return the place of a column."""
        return [column.name for column in self.columns].index(name)


@dataclass(frozen=True, slots=True)
class Table:
    """A report with its rows, and the sums of the columns that are summed."""

    report: Report
    period: Period
    rows: list[Row]
    totals: Row


@dataclass(frozen=True, slots=True)
class Sold:
    """The sales of a game at a terminal on a day, in cents.

    Annulled and voided amounts belong to the day of the sale, so a row gives what remains of that
    day's sales.
    """

    game: str
    day: datetime.date
    premises_id: int
    terminal_id: int
    tickets: int
    sold_cents: int
    annulled_cents: int
    voided_cents: int


def _nothing(period: Period) -> Iterable[Sold]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reports:
    """An app's part of the reports: definitions, rows by name of report, and its sales."""

    defined: Sequence[Report] = ()
    rows: Mapping[str, Rows] = field(default_factory=dict)
    sold: Callable[[Period], Iterable[Sold]] = _nothing


def parts() -> tuple[Reports, ...]:
    """Return the part of each app, in app order."""
    return contributions("reports", "REPORTS")


def _by_name() -> dict[str, Report]:
    defined = ((report.name, report) for part in parts() for report in part.defined)
    return without_repetition(defined, "reports", "REPORTS")


def reports() -> list[Report]:
    """Return the reports of all apps by their order, then by name. Raises ContributedTwice."""
    return sorted(_by_name().values(), key=lambda report: (report.order, report.name))


def report_named(name: str) -> Report:
    """Return the report with that name. Raises ReportUnknown."""
    report = _by_name().get(name)
    if report is None:
        raise ReportUnknown(report=name)
    return report


def table(report: Report, period: Period) -> Table:
    """Return the report over a period."""
    sources = (part.rows[report.name] for part in parts() if report.name in part.rows)
    rows = [row for source in sources for row in source(period)]
    totals = tuple(
        sum(row[index] for row in rows if row[index] is not None) if column.summed else None
        for index, column in enumerate(report.columns)
    )
    return Table(report, period, rows, totals)
