"""Let rows leave together with the rows that they name (`ArchiveTable.with_rows`)."""

from django.db import connection

from core.periods.archive.entries import entries_fill
from core.periods.archive.tables import ArchiveTable, taken_with

_TAKEN = """
SELECT min(t.{key}), max(t.{key}), count(*) FROM "{name}" t
 WHERE t.{column} BETWEEN %s AND %s AND {name}_leaves(t.{key})
"""


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
