"""Write the journal to a file that anyone can verify (docs/proofs/journal.md, verify/journal.py).

The file has lines of JSON, in the order in which they are checked: forms before the first block
that uses them, the blocks of a batch, its head. Acts, their sources and changes are in clear; of
other rows there are digests only. Entries are made again from their rows, but those of blocks of
which rows were retired: the verifier of the file finds out whether they are those that were sealed.
Of a block whose entries left with rows there are the rows that stay, and the digest of all.
"""

import json
from collections.abc import Iterator
from typing import Any, TextIO

from core.database.reading.asking import fetch_all
from core.database.reading.snapshot import only_reading
from core.journal import rows, wire
from core.journal.install import Journaled, journaled
from core.journal.models import Act, Batch, Block, Change, Source
from core.journal.retired.left import is_gone
from core.journal.spans import Again
from core.kernel.canonical import Json
from core.proofs.selectors import RetiredBlocks

_IN_CLEAR = tuple(model._meta.db_table for model in (Act, Change, Source))


@only_reading()
@rows.ready()
def export(to: TextIO) -> int:
    """Write all batches of the journal, in constant memory; return the number of batches."""
    tables = {table.name: table for table in journaled()}
    retired = {table.name: RetiredBlocks(table.name) for table in journaled() if table.retires}
    number = 0
    written_forms: set[int] = set()
    for batch in Batch.objects.select_related("key").order_by("number").iterator():
        heads = []
        again = Again(tables, batch)
        for block in _blocks(batch):
            columns = block.row_form.columns
            form = wire.form_digest(block.row_form.relation, columns)
            if block.row_form_id not in written_forms:
                written_forms.add(block.row_form_id)
                _write(to, {"form": form, **wire.form_document(block.row_form.relation, columns)})
            content = again.entries(block)
            heads.append(wire.block_head(form, block.rows, bytes(block.sha256)))
            line: dict[str, Any] = {"block": form, "entries": content.hex()}
            left = retired.get(block.row_form.relation) if is_gone(block) else None
            if left and left.rows_of(batch.pk) is not None:
                line |= {"rows": block.rows, "sha256": bytes(block.sha256).hex()}
            if block.row_form.relation in _IN_CLEAR:
                line["images"] = _images(tables[block.row_form.relation], columns, content)
            _write(to, line)
        _write(to, _head(batch, heads))
        number = batch.number
    return number


def _blocks(batch: Batch) -> Iterator[Block]:
    blocks = Block.objects.filter(batch_id=batch.pk).select_related("row_form").order_by("position")
    yield from blocks.iterator(chunk_size=16)


def _head(batch: Batch, heads: list[list[Json]]) -> dict[str, Any]:
    return batch.head(heads) | {
        "digest": bytes(batch.digest).hex(),
        "key": batch.key.key_id,
        "signature": bytes(batch.signature).hex(),
    }


def _images(table: Journaled, columns: list[str], content: bytes) -> list[str]:
    """Return the JSON texts of the rows of a block as they are now; "" for a row that is gone."""
    keys = [entry.row for entry in wire.entries_of(content)]
    image = rows.written_sql(table, columns)
    text_by_key = dict(
        fetch_all(
            f'SELECT "{table.key}", ({image})::text FROM "{table.name}" t'
            f' WHERE "{table.key}" = ANY(%s)',
            [keys],
        )
    )
    return [text_by_key.get(key, "") for key in keys]


def _write(to: TextIO, line: dict[str, Any]) -> None:
    to.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")
