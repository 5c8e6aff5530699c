"""Reports: named tables over a period, filled by the core and by the games.

A report's columns are fixed here or in a game; rows come from whoever contributes to it, so that
one table of sales has every game's.
"""

import datetime
import enum
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise

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
    """What a column holds; cents are whole euro cents."""

    TEXT = "text"
    DAY = "day"
    MOMENT = "moment"
    WHOLE = "whole"
    CENTS = "cents"


@dataclass(frozen=True, slots=True)
class Column:
    """`summed`: its total makes sense."""

    name: str
    title: Text
    kind: Kind = Kind.TEXT
    summed: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """A chart of the table: `values` columns summed by `label`; a line for what goes on in time."""

    label: str
    values: Sequence[str]
    line: bool = False


@dataclass(frozen=True, slots=True)
class Period:
    """Natural days, both included."""

    first: datetime.date
    last: datetime.date

    def __post_init__(self) -> None:
        if not 0 <= (self.last - self.first).days <= MOST_DAYS:
            raise PeriodRefused(first=self.first.isoformat(), last=self.last.isoformat())


Rows = Callable[[Period], Iterable[Row]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """`dated` is False for what holds now, whatever the period."""

    name: str
    title: Text
    about: Text
    columns: Sequence[Column]
    order: int
    picture: Picture | None = None
    dated: bool = True

    def column(self, name: str) -> int:
        """The place of a column."""
        return [column.name for column in self.columns].index(name)


@dataclass(frozen=True, slots=True)
class Table:
    """A report made: its rows, and under them the sums of the columns that are summed."""

    report: Report
    period: Period
    rows: list[Row]
    totals: Row


_reports: dict[str, Report] = {}
_rows: dict[str, list[Rows]] = {}


def register(report: Report) -> Report:
    if report.name in _reports:
        raise ValueError(f"the report {report.name!r} is registered twice")
    _reports[report.name] = report
    return report


def contribute(name: str, rows: Rows) -> None:
    """Add rows to a report; they come in the order in which they are given."""
    _rows.setdefault(name, []).append(rows)


def reports() -> list[Report]:
    return sorted(_reports.values(), key=lambda report: (report.order, report.name))


def report_named(name: str) -> Report:
    """Raises ReportUnknown."""
    if name not in _reports:
        raise ReportUnknown(report=name)
    return _reports[name]


def table(report: Report, period: Period) -> Table:
    """The report over a period."""
    rows = [row for source in _rows.get(report.name, []) for row in source(period)]
    totals = tuple(
        sum(row[place] for row in rows if row[place] is not None) if column.summed else None
        for place, column in enumerate(report.columns)
    )
    return Table(report, period, rows, totals)
