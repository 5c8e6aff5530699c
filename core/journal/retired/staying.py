"""Compare the rows that stay of retired ranges with what their retirements published.

A retirement names a range of keys, how many of its rows leave, and the digest of the entries of
those that stay (docs/adr/0053). So it is proved which rows stay, whatever is kept of entries.
"""

import hashlib
from collections.abc import Iterator

from core.journal import rows
from core.journal.install import Journaled
from core.journal.models import Block, RowForm
from core.journal.spans import Part
from core.proofs.selectors import RetiredRange, retired_ranges


def staying_differs(table: Journaled, part: Part) -> Iterator[tuple[RetiredRange, int]]:
    """Yield each retired range of which other rows are there than stay, and how many these are.

    More rows than stay are there as long as a night has not deleted those that leave; then the
    sealed entries prove them. A part of the journal has the ranges whose month was sealed in it.
    Needs `rows.ready` before.
    """
    for retired in retired_ranges(table.name):
        if not _is_of(part, retired.batch):
            continue
        count, digest = 0, hashlib.sha256()
        columns = _columns(table, retired.batch)
        for entry in rows.keyed(table, columns, retired.first_row, retired.last_row):
            count += 1
            digest.update(entry)
        stay = retired.rows - retired.leaves
        if count < stay or (count == stay and digest.hexdigest() != retired.staying_sha256):
            yield retired, count


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
