"""Compare the rows of retired ranges with what their retirements published.

A retirement names a range of keys, how many of its rows leave, and the digest of the entries of
those that stay (docs/adr/0053). So it is proved which rows stay, whatever is kept of entries. It
also names the last batch of which all rows of the table were retired (docs/adr/0055): the entries
of these batches may be gone.
"""

import hashlib
from collections.abc import Iterator
from itertools import pairwise

from django.db.models import Sum

from core.database.reading.asking import fetch_row, fetch_value
from core.journal import rows
from core.journal.install import COLUMN, Journaled
from core.journal.models import Batch, Block, RowForm
from core.journal.spans import Batches, Part
from core.proofs.selectors import RetiredRange, retired_ranges

AT_ONCE = 10_000
"""Rows of which one statement finds those that stay."""


def retired_differs(table: Journaled, part: Part) -> Iterator[str]:
    """Yield the faults of the rows of retired ranges, in words.

    A part of the journal has the ranges whose month was sealed in it. Needs `rows.ready` before.
    """
    ranges = retired_ranges(table.name) if table.retires else []
    for before, retired in pairwise([None, *ranges]):
        if retired is None or not _is_of(part, retired.batch):
            continue
        stay, stayed = retired.rows - retired.leaves, _stayed(table, before, retired)
        if stayed is not None:
            yield (
                f"of {retired.month}: {stay} rows were to stay, {stayed} are there, not all as they"
                " were published when the others left"
            )
    if ranges and _is_of(part, ranges[-1].batch):
        sealed = _sealed(table, ranges[-1])
        published = sum(each.rows for each in ranges)
        if sealed > published and retired_ranges(table.name) == ranges:
            yield (
                f"up to {ranges[-1].last_row}: {sealed} rows were sealed that are not after it, and"
                f" {published} were published as retired"
            )


def _stayed(table: Journaled, before: RetiredRange | None, retired: RetiredRange) -> int | None:
    """Return the number of rows of a range that are there; None if exactly those are there that
    stay.

    More rows than stay are there as long as a night has not deleted those that leave. Sealed
    entries prove these: they are of batches whose entries are there.
    """
    count, digest = 0, hashlib.sha256()
    columns = _columns(table, retired.batch)
    for entry in rows.keyed(table, columns, retired.first_row, retired.last_row):
        count += 1
        digest.update(entry)
    stay = retired.rows - retired.leaves
    if count == stay and digest.hexdigest() == retired.staying_sha256:
        return None
    after = before.last_batch if before else 0
    if count > stay and not _is_among(table, columns, retired, after):
        return None
    return count


def _is_among(table: Journaled, columns: list[str], retired: RetiredRange, after: int) -> bool:
    """Return whether the range has a row that should have left, or other rows that stay than those
    that were published.

    A row should have left if it has no sealed entry any more. A function of the database says which
    rows stay. It need not be trusted: the rows that it names must have the published digest.
    `after` is the last batch that has no row of the range.
    """
    without_entries = Block.objects.filter(row_form__relation=table.name, entries=None, short=None)
    left = set(without_entries.filter(batch_id__gt=after).values_list("batch_id", flat=True))
    if not left:
        return False
    batches, digest = Batches.between(min(left), max(left)), hashlib.sha256()
    there = staying = 0
    for first, last in parts(table.name, table.key, retired.first_row, retired.last_row):
        for entry in stays(table, columns, first, last):
            digest.update(entry)
            staying += _batch_of(batches, entry) in left
        for entry in rows.keyed(table, columns, first, last):
            there += _batch_of(batches, entry) in left
    return digest.hexdigest() != retired.staying_sha256 or there != staying


def _batch_of(batches: Batches, entry: bytes) -> int | None:
    return batches.of(int.from_bytes(entry[:8], "big", signed=True))


def stays(table: Journaled, columns: list[str], first: int, last: int) -> Iterator[bytes]:
    """Yield the entries of the rows that stay for good, of a range of keys that are retired.

    Needs `rows.ready` before. The range must be small (`parts`): the database keeps its rows.
    """
    leaves: str = fetch_value("SELECT periods_leaves(%s)", [table.name])
    here = leaves.replace("$1", str(first)).replace("$2", str(last))
    yield from rows.keyed(table, columns, first, last, f"NOT ({here})")


def parts(
    table: str, key: str, first: int, last: int, at_once: int = AT_ONCE
) -> Iterator[tuple[int, int]]:
    """Yield a range of keys in parts of so many rows. Keys may lie far apart, as lineages do."""
    query = (
        f'SELECT {key} FROM "{table}" WHERE {key} BETWEEN %s AND %s'
        f" ORDER BY {key} OFFSET {at_once - 1} LIMIT 1"
    )
    while first <= last:
        last_of_part = fetch_row(query, [first, last])
        end = last_of_part[0] if last_of_part else last
        yield first, end
        first = end + 1


def _sealed(table: Journaled, newest: RetiredRange) -> int:
    """Return how many rows of a table were sealed that are not after its last retired range.

    The heads of the batches say how many rows were sealed in all. Those after the range are there.
    """
    head = Batch.objects.order_by("-number").first()
    if head is None:
        return 0
    blocks = Block.objects.filter(row_form__relation=table.name, batch_id__lte=head.number)
    sealed: int = blocks.aggregate(rows=Sum("rows"))["rows"] or 0
    return sealed - int(
        fetch_value(
            f'SELECT count(*) FROM "{table.name}" WHERE "{table.key}" > %s AND {COLUMN} < %s'
            f" AND {COLUMN} <> ALL (%s)",
            [newest.last_row, head.end_xid, head.open_xids],
        )
    )


def _is_of(part: Part, batch: int) -> bool:
    if part.since is not None and batch <= part.since.number:
        return False
    return part.until is None or batch <= part.until.number


def _columns(table: Journaled, batch: int) -> list[str]:
    """Return the columns that the digests of rows covered in a batch, or before it."""
    forms = list(RowForm.objects.filter(relation=table.name).order_by("pk"))
    if len(forms) > 1:  # without a look at every block
        blocks = Block.objects.filter(row_form__in=forms, batch_id__lte=batch)
        last = blocks.select_related("row_form").order_by("-batch_id", "-position").first()
        forms = [last.row_form] if last else forms
    return forms[0].columns if forms else rows.present_columns(table)
