"""Let rows leave together with the rows that they name (`ArchiveTable.with_rows`)."""

from collections.abc import Mapping

from django.db import connection

from core.periods.archive.entries import entries_fill
from core.periods.archive.tables import ArchiveTable, taken_with

_BEHIND = 'SELECT min(t.{}) FROM "{}" t WHERE t.{} > %s AND NOT ({})'
_TAKEN = """
SELECT min(t.{key}), max(t.{key}), count(*) FROM "{name}" t
 WHERE t.{column} BETWEEN %s AND %s AND {name}_leaves(t.{key})
"""


def joint_ranges(part: ArchiveTable, ranges: Mapping[str, range]) -> dict[str, range]:
    """Return the ranges of a table and of the one that it leaves with, shortened so that none has a
    row without the one it goes with.

    Each turn ends one range before the first row that goes with one behind the other range's end.
    """
    names = part.name, part.with_rows
    end, named_end = (ranges[name].stop - 1 for name in names)
    named_behind = _BEHIND.format(part.with_column, part.name, part.key, part.apart)
    behind = _BEHIND.format(part.key, part.name, part.with_column, part.apart)
    while True:
        named_end = min(named_end, _first(named_behind, end) - 1)
        first = _first(behind, named_end)
        if first > end:
            break
        end = first - 1
    starts = [ranges[name].start for name in names]
    return {
        name: range(start, max(last + 1, start))
        for name, start, last in zip(names, starts, (end, named_end), strict=True)
    }


def _first(query: str, after: int) -> int:
    """Return the first row that a query finds after one; a number after all without one."""
    with connection.cursor() as cursor:
        cursor.execute(query, [after])
        found: int | None = cursor.fetchone()[0]
    return 2**63 - 1 if found is None else found


def rows_taken(table: ArchiveTable, first: int, last: int) -> int | None:
    """Return how many rows of other tables leave with those of a range of rows.

    Their sealed entries are written whole before. Return None if the rows are not as they were
    sealed; then nothing may be deleted.
    """
    taken = 0
    for part in taken_with(table):
        query = _TAKEN.format(key=part.key, name=part.name, column=part.with_column)
        with connection.cursor() as cursor:
            cursor.execute(query, [first, last])
            part_first, part_last, count = cursor.fetchone()
        if count and not entries_fill(part, part_first, part_last):
            return None
        taken += count
    return taken
