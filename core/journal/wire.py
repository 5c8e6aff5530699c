"""The forms of the journal, to the byte (docs/proofs.md): entries, blocks, heads of batches."""

import dataclasses
import datetime
import hashlib
from collections.abc import Iterator, Sequence

from core.kernel.canonical import Json, canonical_sha256
from core.proofs.wire import instant

FORMAT = "trot-journal-1"
NOTHING_BEFORE = bytes(32)
ENTRY_BYTES = 48
ROWS_IN_BLOCK = 1024


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class Entry:
    """A row as it was written: by which transaction, its key, SHA-256 of its JSON text."""

    xid: int
    row: int
    digest: bytes


def entries_of(block: bytes) -> Iterator[Entry]:
    """The entries of a block. Raises ValueError for one that is cut."""
    if len(block) % ENTRY_BYTES:
        raise ValueError("a block is not whole entries")
    for at in range(0, len(block), ENTRY_BYTES):
        xid = int.from_bytes(block[at : at + 8], "big", signed=True)
        row = int.from_bytes(block[at + 8 : at + 16], "big", signed=True)
        yield Entry(xid, row, block[at + 16 : at + 48])


def form_document(relation: str, columns: Sequence[str]) -> dict[str, Json]:
    return {"table": relation, "columns": list(columns)}


def form_digest(relation: str, columns: Sequence[str]) -> str:
    """The name, in a batch's head, of a table with the columns that the digests cover."""
    return canonical_sha256(form_document(relation, columns)).hex()


def block_head(form: str, rows: int, entries: bytes) -> list[Json]:
    """What a batch's head says of a block."""
    return [form, rows, hashlib.sha256(entries).hexdigest()]


def head(
    *,
    number: int,
    previous: bytes,
    first_xid: int,
    end_xid: int,
    sealed_at: datetime.datetime,
    blocks: Sequence[list[Json]],
) -> dict[str, Json]:
    """A batch's head: SHA-256 of its canonical JSON is the batch's digest."""
    return {
        "format": FORMAT,
        "batch": number,
        "previous": previous.hex(),
        "first_xid": first_xid,
        "end_xid": end_xid,
        "sealed_at": instant(sealed_at),
        "blocks": list(blocks),
    }
