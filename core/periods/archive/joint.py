"""Let rows leave together with the rows that they name (`ArchiveTable.with_rows`)."""

from core.database.reading.asking import fetch_row, fetch_value
from core.periods.archive.entries import entries_fill
from core.periods.archive.tables import ArchiveTable, taken_with

_TAKEN = """
SELECT min(t.{key}), max(t.{key}) FROM "{name}" t
 WHERE t.{column} BETWEEN %s AND %s AND {name}_leaves(t.{key})
"""
_THERE = 'SELECT count(*) FROM "{name}" t WHERE t.{column} BETWEEN %s AND %s'


def entries_fill_taken(table: ArchiveTable, first: int, last: int) -> bool:
    """Write whole the entries of the rows of other tables that leave together with a range of rows.

    Return False if such rows are not as they were sealed; then nothing may be deleted.
    """
    for part in taken_with(table):
        query = _TAKEN.format(key=part.key, name=part.name, column=part.with_column)
        part_first, part_last = fetch_row(query, [first, last])
        if part_first is not None and not entries_fill(part, part_first, part_last):
            return False
    return True


def rows_with(table: ArchiveTable, first: int, last: int) -> int:
    """Return how many rows of such tables name a row of a range."""
    there = 0
    for part in taken_with(table):
        there += fetch_value(_THERE.format(name=part.name, column=part.with_column), [first, last])
    return there
