"""Define the bytes of the journal (docs/proofs.md): entries, blocks, heads of batches."""

import dataclasses
import datetime
from collections.abc import Iterator, Sequence

from core.kernel.canonical import Json, canonical_sha256
from core.proofs.wire import instant

FORMAT = "trot-journal-1"
NOTHING_BEFORE = bytes(32)
ENTRY_BYTES = 48
ROWS_IN_BLOCK = 1024


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class Entry:
    """A row as it was first written: its transaction, its key, the SHA-256 of its JSON text."""

    xid: int
    row: int
    digest: bytes


def entries_of(block: bytes) -> Iterator[Entry]:
    """Yield the entries of a block. Raises ValueError if the last one is not complete."""
    if len(block) % ENTRY_BYTES:
        raise ValueError("a block is not whole entries")
    for at in range(0, len(block), ENTRY_BYTES):
        xid = int.from_bytes(block[at : at + 8], "big", signed=True)
        row = int.from_bytes(block[at + 8 : at + 16], "big", signed=True)
        yield Entry(xid, row, block[at + 16 : at + 48])


def form_document(relation: str, columns: Sequence[str]) -> dict[str, Json]:
    """Return a table and the columns that its digests cover, as JSON."""
    return {"table": relation, "columns": list(columns)}


def form_digest(relation: str, columns: Sequence[str]) -> str:
    """Return the name that a batch's head gives a table with the columns that its digests cover."""
    return canonical_sha256(form_document(relation, columns)).hex()


def entry_bytes(entry: Entry) -> bytes:
    """Return an entry as a block has it."""
    numbers = (each.to_bytes(8, "big", signed=True) for each in (entry.xid, entry.row))
    return b"".join(numbers) + entry.digest


def block_head(form: str, rows: int, sha256: bytes) -> list[Json]:
    """Return the part of a batch's head about one block: form, rows, SHA-256 of its entries."""
    return [form, rows, sha256.hex()]


def head(
    *,
    number: int,
    previous: bytes,
    first_xid: int,
    end_xid: int,
    open_xids: Sequence[int],
    sealed_at: datetime.datetime,
    blocks: Sequence[list[Json]],
) -> dict[str, Json]:
    """Return a batch's head. The SHA-256 of its canonical JSON is the batch's digest."""
    return {
        "format": FORMAT,
        "batch": number,
        "previous": previous.hex(),
        "first_xid": first_xid,
        "end_xid": end_xid,
        "open": list(open_xids),
        "sealed_at": instant(sealed_at),
        "blocks": list(blocks),
    }
