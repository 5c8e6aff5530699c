"""Name the rows of a retired month that are not as they were sealed, by the files of its archive.

When its entries have left, `journal_verify` tells batch and table only (docs/adr/0045). The archive
has the entries: a file's block is taken only if its digest is the one of the batch's signed head.
"""

import hashlib
import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from django.db import transaction

from core.journal import rows, wire
from core.journal.install import journaled
from core.journal.models import Batch, Block
from core.journal.spans import batch_span, compared
from core.journal.verifying import Fault, Finding, row_finding
from core.periods.archive.entries import BLOCKS
from core.periods.archive.files import ArchiveUnsound, files_check, lines_of
from core.proofs.selectors import Retired

FORMS = "journal_rowform"
Row = dict[str, Any]


@transaction.atomic
@rows.ready()
def rows_named(folder: Path) -> list[Finding]:
    """Compare the rows of the month's batches with the entries in the archive.

    Return each row that was changed, taken away or put in. Retired rows need not be there. Verify
    the journal, too: it proves the heads of the batches. Raises ArchiveUnsound.
    """
    files_check(folder)
    forms = {form["id"]: form for form in _rows(folder, FORMS)}
    return [
        finding
        for (batch, form), blocks in groupby(_rows(folder, BLOCKS), key=_batch_and_form)
        for finding in _named(batch, forms[form], list(blocks))
    ]


def _rows(folder: Path, table: str) -> Iterator[Row]:
    for line in lines_of(folder / f"{table}.jsonl.gz"):
        yield json.loads(line)


def _batch_and_form(block: Row) -> tuple[int, int]:
    return block["batch_id"], block["row_form_id"]


def _named(number: int, form: Row, blocks: list[Row]) -> Iterator[Finding]:
    """Yield what differs of one table in one batch. Raises ArchiveUnsound."""
    content = b"".join(_sealed(block) for block in blocks)
    (table,) = (each for each in journaled() if each.name == form["relation"])
    sealed = ((entry, number) for entry in wire.entries_of(content))
    span = batch_span(Batch.objects.get(number=number))
    retired = Retired(table.name)
    for what, entry, batch in compared(sealed, rows.entries(table, form["columns"], span)):
        if what != Fault.ROW_REMOVED or entry.row not in retired:
            yield row_finding(Fault(what), table, entry, batch)


def _sealed(block: Row) -> bytes:
    """Return the entries of a block. Raises ArchiveUnsound unless they are those of the journal."""
    content = bytes.fromhex(block["entries"].removeprefix("\\x"))
    here = Block.objects.filter(batch_id=block["batch_id"], position=block["position"])
    digest = here.values_list("sha256", flat=True).first()
    if digest is None or bytes(digest) != hashlib.sha256(content).digest():
        raise ArchiveUnsound(file=f"{BLOCKS}.jsonl.gz", why=f"batch {block['batch_id']}")
    return content
