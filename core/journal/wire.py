"""Define the bytes of the journal (docs/proofs/journal.md): entries, blocks, heads of batches."""

import dataclasses
import datetime
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from core.kernel.canonical import Json, canonical_sha256
from core.proofs.wire import instant

FORMAT = "trot-journal-1"
NOTHING_BEFORE = bytes(32)
ENTRY_BYTES = 48
ROWS_IN_BLOCK = 1024
SHORT_DIGEST_BYTES = 8
"""So much of a row's digest is kept of an entry that its row gives again (docs/adr/0048)."""
_NUMBER_BYTES, _NUMBERS = 8, 2**64


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


def shortened(entries: Sequence[bytes]) -> bytes:
    """Return the shortened form of a block's entries, stored while their rows are there.

    That is the first bytes of each digest, then transactions and keys, compressed. Each number is
    its difference to the one before, and the differences are written byte by byte: all lowest bytes
    first.
    """
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)  # without a head and a check sum
    return _digests(entries) + packer.compress(_planes(entries)) + packer.flush()


def is_shortened(short: bytes, entries: Sequence[bytes]) -> bool:
    """Return whether these bytes are the shortened form of those entries, in any compression."""
    digests = _digests(entries)
    try:
        return short.startswith(digests) and _unpacked(short, len(entries)) == _planes(entries)
    except ValueError:
        return False


def is_short(short: bytes, rows: int) -> bool:
    """Return whether the bytes are the shortened form of so many entries of any rows."""
    try:
        return bool(_unpacked(short, rows))
    except ValueError:
        return False


def _digests(entries: Sequence[bytes]) -> bytes:
    return b"".join(entry[16 : 16 + SHORT_DIGEST_BYTES] for entry in entries)


def _planes(entries: Sequence[bytes]) -> bytes:
    """Return the differences of the numbers of entries: all lowest bytes first."""
    rows = len(entries)
    numbers = struct.unpack(f">{2 * rows}Q", b"".join(entry[:16] for entry in entries))
    plain = struct.pack(f"<{2 * rows}Q", *_steps(numbers[::2]), *_steps(numbers[1::2]))
    return b"".join(plain[place::_NUMBER_BYTES] for place in range(_NUMBER_BYTES))


def _steps(numbers: Sequence[int]) -> Iterator[int]:
    return (
        (after - before) % _NUMBERS for before, after in zip((0, *numbers), numbers, strict=False)
    )


def short_entries(short: bytes, rows: int) -> list[Entry]:
    """Return the entries of a shortened block, with the first bytes of their digests.

    Raises ValueError if these are not so many.
    """
    planes = _unpacked(short, rows)
    plain = b"".join(planes[place :: 2 * rows] for place in range(2 * rows))
    steps = struct.unpack(f"<{2 * rows}Q", plain)
    starts = range(0, rows * SHORT_DIGEST_BYTES, SHORT_DIGEST_BYTES)
    digests = (short[at : at + SHORT_DIGEST_BYTES] for at in starts)
    xids, keys = _numbers(steps[:rows]), _numbers(steps[rows:])
    return [Entry(*each) for each in zip(xids, keys, digests, strict=True)]


def _unpacked(short: bytes, rows: int) -> bytes:
    size = 2 * rows * _NUMBER_BYTES
    unpacker = zlib.decompressobj(wbits=-zlib.MAX_WBITS)
    try:
        planes = unpacker.decompress(short[rows * SHORT_DIGEST_BYTES :], size + 1)
    except zlib.error as error:
        raise ValueError("a shortened block is not compressed numbers") from error
    if len(planes) != size or not unpacker.eof or unpacker.unused_data:
        raise ValueError(f"a shortened block is not {rows} entries")
    return planes


def _numbers(steps: Iterable[int]) -> Iterator[int]:
    for number in accumulate(steps, lambda before, step: (before + step) % _NUMBERS):
        yield number - _NUMBERS if number >= _NUMBERS // 2 else number


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
