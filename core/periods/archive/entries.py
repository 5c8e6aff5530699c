"""Make the journal's sealed entries whole again from their rows: for the archive, and where rows
are deleted.

A block keeps eight bytes of each row's digest (docs/adr/0048). The archive has whole entries, and
so has each block of which rows were deleted and others are not retired yet: nothing else proves
these. Where all rows of a block were retired, its entries leave with them (docs/adr/0055).
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import attrgetter
from typing import Any

import psycopg
from django.db import connection
from django.db.models import Max, Q, QuerySet

from core.database.reading.asking import fetch_row, fetch_value
from core.journal import rows
from core.journal.install import COLUMN, journaled
from core.journal.models import Batch, Block
from core.journal.retired.staying import stays
from core.journal.spans import Again
from core.periods.archive.tables import ArchiveTable
from core.periods.models import RetiredRows

BLOCKS = "journal_block"
_BLOCKS_AT_ONCE = 16  # a block is a line of up to 98,000 characters
_KEPT = "to_jsonb(t) - 'short'"

_XIDS = """
SELECT min({xid}), max({xid}) FROM "{table}" t WHERE t.{key} BETWEEN %s AND %s
"""
_LATE = """
SELECT EXISTS (SELECT FROM "{table}" t
                WHERE t.{key} BETWEEN %s AND %s AND {xid} = ANY(%s::bigint[]))
"""


def block_lines(where: str, values: Mapping[str, Any]) -> Iterator[tuple[int, int, str]]:
    """Yield 0, id and JSON text of each block with whole entries, by id. Needs `rows.ready`."""
    tables = {table.name: table for table in journaled()}
    batch, again = 0, None
    connection.ensure_connection()
    with (
        connection.wrap_database_errors,
        psycopg.ServerCursor(connection.connection, f"archive_{BLOCKS}") as cursor,
    ):
        cursor.execute(
            f"SELECT t.id, ({_KEPT})::text FROM {BLOCKS} t WHERE {where} ORDER BY t.id", values
        )
        while blocks := cursor.fetchmany(_BLOCKS_AT_ONCE):
            kept = Block.objects.select_related("row_form").in_bulk([block for block, _ in blocks])
            for number, text in blocks:
                block = kept[number]
                if again is None or block.batch_id != batch:
                    batch = block.batch_id
                    again = Again(tables, Batch.objects.get(pk=batch))
                line = json.loads(text) | {"entries": f"\\x{again.entries(block).hex()}"}
                yield 0, number, json.dumps(line)


def entries_fill(table: ArchiveTable, first: int, last: int) -> bool:
    """Write the entries of a table whole, in every batch that has a row of a range of keys and
    still has its entries.

    Return False if the rows of a batch are not as they were sealed, or are not sealed yet; then
    nothing may be deleted.
    """
    first_xid, last_xid = fetch_row(_XIDS.format(**_names(table)), [first, last])
    if first_xid is None:
        return True
    until = _sealed_by(table, first, last, last_xid)
    if until is None:
        return False
    gone = Q(short=None, batch_id__lte=last_batch(table))
    kept = Block.objects.filter(
        row_form__relation=table.name,
        entries=None,
        batch__end_xid__gt=first_xid,
        batch__number__lte=until,
    ).exclude(gone)
    for block, content in _again(kept):
        if hashlib.sha256(content).digest() != bytes(block.sha256):
            return False
        Block.objects.filter(pk=block.pk).update(entries=content, short=None)
    return True


def are_as_sealed(blocks: QuerySet[Block]) -> bool:
    """Return whether the rows of blocks give their entries again. All rows must be there."""
    return all(
        hashlib.sha256(content).digest() == bytes(block.sha256) for block, content in _again(blocks)
    )


@rows.ready()
def _again(blocks: QuerySet[Block]) -> Iterator[tuple[Block, bytes]]:
    """Yield blocks, and the entries that their rows give."""
    tables = {covered.name: covered for covered in journaled()}
    ordered = blocks.select_related("row_form", "batch").order_by("batch_id", "position")
    for batch, here in groupby(
        ordered.iterator(chunk_size=_BLOCKS_AT_ONCE), key=attrgetter("batch")
    ):
        again = Again(tables, batch)
        for block in here:
            yield block, again.entries(block)


def last_batch(table: ArchiveTable, before: int | None = None) -> int:
    """Return the last batch of which all rows of a table were retired; 0 if there is none.

    With `before`, the first row of a retired range, by the retirements before that one.
    """
    retired = RetiredRows.objects.filter(relation=table.name)
    if before is not None:
        retired = retired.filter(first_row__lt=before)
    return retired.aggregate(last=Max("last_batch"))["last"] or 0


@rows.ready()
def staying_sha256(table: ArchiveTable, ranges: Iterable[tuple[int, int]]) -> str:
    """Return the SHA-256 of the entries of the rows that stay for good, of ranges of keys."""
    (covered,) = (each for each in journaled() if each.name == table.name)
    columns, digest = rows.present_columns(covered), hashlib.sha256()
    for first, last in ranges:
        for entry in stays(covered, columns, first, last):
            digest.update(entry)
    return digest.hexdigest()


def _sealed_by(table: ArchiveTable, first: int, last: int, last_xid: int) -> int | None:
    """Return the first batch by which all rows of a range are sealed; None if some row is not.

    A row of a transaction that a batch calls open is in a later one. Most of those that it calls
    open wrote no row of the range: also those of other databases of the server are among them.
    """
    for batch in Batch.objects.filter(end_xid__gt=last_xid).order_by("number"):
        if not fetch_value(_LATE.format(**_names(table)), [first, last, batch.open_xids]):
            return batch.number
    return None


def _names(table: ArchiveTable) -> dict[str, str]:
    return {"xid": f"t.{COLUMN}", "table": table.name, "key": table.key}
