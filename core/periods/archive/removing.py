"""Delete what was retired, and take away the sealed entries of it: work of the nights.

If all rows that a batch sealed of a table were retired, they leave with their entries in one
transaction. So each batch has its entries, or has only rows that stay (docs/adr/0055). The entries
of other batches are written whole before a row is deleted.
"""

import datetime
from collections.abc import Iterator

from django.db import connection, transaction
from django.db.models import QuerySet, Sum

from core.database.reading.asking import fetch_all, fetch_row, fetch_value
from core.journal.models import Block
from core.journal.retired.staying import parts
from core.periods.archive.entries import are_as_sealed, entries_fill, last_batch
from core.periods.archive.joint import entries_fill_taken, rows_with
from core.periods.archive.retiring import LEAVING, RowsNotAsArchived, number
from core.periods.archive.tables import ArchiveTable, retiring_tables, taken_with
from core.periods.models import RetiredRows

AT_ONCE = 10_000
"""Rows of which one transaction deletes those that leave."""
FINISHED = datetime.timedelta(days=40)
"""Between a retirement and a night that was done: what it left is not looked for after that."""
BATCHES_AT_ONCE = 200
"""Batches whose entries leave in one transaction."""

_NEVER = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_REMOVE = "SELECT periods_remove(p_relation => %s, p_first => %s, p_last => %s)"
_REMOVE_SEALED = "SELECT periods_remove_sealed(p_relation => %s, p_first => %s, p_last => %s)"


def retired_remove(done_at: datetime.datetime = _NEVER) -> int:
    """Delete what was retired and is still there; return how many rows. Each part is committed.

    Months are taken in their order: wherever a night ends, the newest month still has its rows, by
    which the next night finds those before it. `done_at` is when the last night began that deleted
    everything; without it, all months are looked at. If rows leave with rows of another table,
    their entries leave last.
    """
    removed = 0
    for table in sorted(retiring_tables(), key=lambda table: bool(table.with_rows)):
        for retired in _unfinished(table, done_at):
            removed += _sealed_remove(table, retired)
            removed += sum(_remove(table, first, last) for first, last in _parts(table, retired))
    return removed


def _unfinished(table: ArchiveTable, done_at: datetime.datetime = _NEVER) -> list[RetiredRows]:
    """Return the retired months of which rows of a table may still be there, in their order.

    They are looked for from the newest one back. The last is a month that left so long before a
    night was done that this finished it, and of which nothing is left. So a night does not read
    the rows that stay of all months, and after months without a night it passes over none.
    """
    months: list[RetiredRows] = []
    finished = done_at - FINISHED
    of_table = RetiredRows.objects.filter(relation=table.name).select_related("retirement")
    for retired in of_table.order_by("-first_row"):
        if retired.retirement.retired_at < finished and not _is_there(table, retired):
            break
        months.append(retired)
    return months[::-1]


def _is_there(table: ArchiveTable, retired: RetiredRows) -> bool:
    """Return whether a row of a month is there that leaves, or a block with entries that leave."""
    if _kept_of(table, retired).exists():
        return True
    parts_of_month = _parts(table, retired)
    return any(number(LEAVING, table.name, first, last) for first, last in parts_of_month)


def _parts(table: ArchiveTable, retired: RetiredRows) -> Iterator[tuple[int, int]]:
    """Return the rows of a month in parts; none if they leave with rows of another table."""
    if table.with_rows:
        return iter(())
    return parts(table.name, table.key, retired.first_row, retired.last_row, AT_ONCE)


def _sealed_remove(table: ArchiveTable, retired: RetiredRows) -> int:
    """Delete the rows that leave of the batches that, by a retirement, have only retired rows."""
    runs = _runs(_kept_of(table, retired))
    return sum(_batches_remove(table, first, last) for first, last in runs)


def _runs(blocks: QuerySet[Block]) -> Iterator[tuple[int, int]]:
    """Yield the batches of some blocks, in runs of so many rows: first and last."""
    first, last, count = 0, 0, 0
    summed = blocks.values_list("batch_id").annotate(here=Sum("rows")).order_by("batch_id")
    for batch, rows in list(summed):
        if first and count + rows > AT_ONCE:
            yield first, last
            first, count = 0, 0
        first, last, count = first or batch, batch, count + rows
    if first:
        yield first, last


def _kept_of(table: ArchiveTable, retired: RetiredRows) -> QuerySet[Block]:
    """Return the blocks that have entries, of the batches that by a retirement have only retired
    rows of a table.
    """
    after = last_batch(table, before=retired.first_row)
    return _kept(table).filter(batch_id__gt=after, batch_id__lte=retired.last_batch)


def _kept(table: ArchiveTable) -> QuerySet[Block]:
    """Return the blocks of a table that still have entries, whole or shortened."""
    return Block.objects.filter(row_form__relation=table.name).exclude(entries=None, short=None)


@transaction.atomic
def _batches_remove(table: ArchiveTable, first: int, last: int) -> int:
    """Delete the rows that leave of some batches, and the entries of these batches.

    Return how many rows were deleted. Raises RowsNotAsArchived.
    """
    blocks = _kept(table).filter(batch_id__gte=first, batch_id__lte=last)
    keys = _keys(table, first, last) if taken_with(table) else (1, 0)
    if not are_as_sealed(blocks.filter(entries=None)) or not entries_fill_taken(table, *keys):
        raise RowsNotAsArchived(table=table.name)
    with_them = rows_with(table, *keys)
    removed = number(_REMOVE_SEALED, table.name, first, last)
    blocks.update(entries=None, short=None)
    return removed + with_them - rows_with(table, *keys)


def _keys(table: ArchiveTable, first: int, last: int) -> tuple[int, int]:
    """Return the first and the last key of the rows that some batches sealed."""
    sealed = fetch_value("SELECT periods_sealed(p_first => %s, p_last => %s)", [first, last])
    keys: tuple[int, int] = fetch_row(
        f"SELECT coalesce(min(t.{table.key}), 1), coalesce(max(t.{table.key}), 0)"
        f' FROM "{table.name}" t WHERE {sealed}'
    )
    return keys


@transaction.atomic
def _remove(table: ArchiveTable, first: int, last: int) -> int:
    """Delete what leaves of a range of rows, which is proved by whole sealed entries from then on.

    Raises RowsNotAsArchived.
    """
    if not number(LEAVING, table.name, first, last):
        return 0
    if not entries_fill(table, first, last) or not entries_fill_taken(table, first, last):
        raise RowsNotAsArchived(table=table.name)
    with_them = rows_with(table, first, last)
    removed = number(_REMOVE, table.name, first, last)
    return removed + with_them - rows_with(table, first, last)


_UNFINISHED = """
WITH months AS (
    SELECT p.number, p.last_batch, coalesce((
               SELECT b.last_batch FROM periods_closedperiod b WHERE b.number = p.number - 1), 0)
               AS after
      FROM periods_retirement r JOIN periods_closedperiod p ON p.id = r.period_id)
SELECT m.after, m.last_batch FROM months m
 CROSS JOIN LATERAL (
       SELECT k.batch_id FROM journal_block k JOIN journal_rowform f ON f.id = k.row_form_id
        WHERE k.batch_id > m.after AND k.batch_id <= m.last_batch
          AND f.relation <> ALL (%(leaving)s)
        ORDER BY k.batch_id DESC LIMIT 1) last
 WHERE EXISTS (SELECT FROM journal_block k JOIN journal_rowform f ON f.id = k.row_form_id
                WHERE k.batch_id = last.batch_id AND k.short IS NOT NULL
                  AND f.relation <> ALL (%(leaving)s))
 ORDER BY m.number
"""
_LEAVE = """
UPDATE journal_block k SET short = NULL FROM journal_rowform f
 WHERE f.id = k.row_form_id AND f.relation <> ALL (%s) AND k.short IS NOT NULL
   AND k.batch_id > %s AND k.batch_id <= %s
"""


def entries_remove() -> int:
    """Take away what is kept of the sealed entries of retired months; return how many blocks gave
    theirs.

    Those of tables whose rows leave stay. Batches are taken in their order, the month's last one
    with other rows at the end: so a night that was interrupted is found unfinished.
    """
    leaving = [table.name for table in retiring_tables()]
    months = fetch_all(_UNFINISHED, {"leaving": leaving})
    removed = 0
    for after, last in months:
        for first in range(after, last, BATCHES_AT_ONCE):
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(_LEAVE, [leaving, first, min(first + BATCHES_AT_ONCE, last)])
                removed += cursor.rowcount
    return removed
