"""Compare blocks without entries with their rows: these give the entries again, or were retired.

A block keeps what shortens its entries (docs/adr/0048), or nothing (docs/adr/0045). Both ways the
rows of its batch must give its digest. Where rows of it left with a retired month, those that are
there are proved by what the retirement published (docs/adr/0055).
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from core.journal import rows, spans, wire
from core.journal.install import Journaled
from core.journal.models import Batch, Block, RowForm
from core.journal.spans import Batches, Stretch, batch_span, compared
from core.proofs.selectors import RetiredBlocks


class Numbers(Protocol):
    """Rows or batches: `core.proofs.selectors` has those that were retired."""

    def __contains__(self, number: int, /) -> bool: ...


class Left:
    """Find the batches of a stretch whose blocks of a table have no entries: the rows must give
    these again.

    `sealed_entries` finds the blocks, `others` digests the rows of their batches as they come. In a
    batch whose rows left (`retired`), only rows of the retired ranges may be there; the retirement
    says which ones (`core.journal.retired.staying`).
    """

    def __init__(self, retired: RetiredBlocks | None = None) -> None:
        self._retired = retired
        self._ranges: dict[int, list[range]] = {}
        self._blocks: dict[int, list[tuple[int, bytes]]] = {}
        self._kept: dict[int, list[Block]] = {}
        self._made: dict[int, list[tuple[int, bytes]]] = {}
        self._waiting: dict[int, list[bytes]] = {}
        self._unnamed: set[int] = set()
        self.otherwise: list[tuple[int, int]] = []
        """Batch and position of blocks that keep other short entries than those of their rows."""

    def add(self, block: Block) -> None:
        """Keep how many entries the block had, their digest, and what shortens them."""
        ranges = self._ranges_of(block.batch_id, [block])
        if ranges is not None:
            self._ranges[block.batch_id] = ranges
            return
        here = self._blocks.setdefault(block.batch_id, [])
        here.append((block.rows, bytes(block.sha256)))
        self._kept.setdefault(block.batch_id, []).append(block)

    def _ranges_of(self, batch: int, blocks: Sequence[Block]) -> list[range] | None:
        """Return the ranges in which a batch without any block may have rows; otherwise None."""
        if self._retired is None or not blocks or not all(map(is_gone, blocks)):
            return None
        return self._retired.rows_of(batch)

    def others(self, present: Iterable[wire.Entry], stretch: Stretch) -> Iterator[wire.Entry]:
        """Yield the rows of other batches. Where the stretch is one batch, they are in order."""
        batches: Batches | None = None
        for entry in present:
            if not self._blocks and not self._ranges:
                yield entry
                continue
            if batches is None:
                ends = stretch.first_batch, stretch.last_batch
                batches = stretch.batches or Batches.between(*ends)
            batch = batches.of(entry.xid)
            if batch in self._ranges:
                if not any(entry.row in each for each in self._ranges[batch]):
                    yield entry
            elif batch is not None and batch in self._blocks:
                self._keep(batch, wire.entry_bytes(entry))
            else:
                yield entry
        for batch, waiting in self._waiting.items():
            if waiting:
                self._end(batch, waiting)

    def _keep(self, batch: int, entry: bytes) -> None:
        waiting = self._waiting.setdefault(batch, [])
        waiting.append(entry)
        place, blocks = len(self._made.setdefault(batch, [])), self._blocks[batch]
        if len(waiting) == (blocks[place][0] if place < len(blocks) else wire.ROWS_IN_BLOCK):
            self._end(batch, waiting)

    def _end(self, batch: int, waiting: list[bytes]) -> None:
        """Digest the entries of a block, and empty the list of them."""
        counted, blocks = self._made[batch], self._blocks[batch]
        counted.append((len(waiting), hashlib.sha256(b"".join(waiting)).digest()))
        place = len(counted) - 1
        if place < len(blocks) and counted[place] == blocks[place]:
            block = self._kept[batch][place]
            if block.short is not None and not wire.is_shortened(bytes(block.short), waiting):
                self.otherwise.append((batch, block.position))
        waiting.clear()

    def _differing(self) -> list[int]:
        return [batch for batch, blocks in self._blocks.items() if self._made.get(batch) != blocks]

    def named(
        self, table: Journaled, form: RowForm, retired: Numbers
    ) -> Iterator[tuple[str, wire.Entry, int | None]]:
        """Yield the rows of `differing` batches as `compared` does, by the shortened entries.

        Call it when `others` was read to its end. The blocks are read again: a night may have
        filled their entries meanwhile, or taken them, and deleted rows. Without entries it is not
        enough that `retired` rows are gone, for these must be proved by them.
        """
        blocks = Block.objects.filter(row_form__relation=table.name).order_by("position")
        for batch in self._differing():
            head = Batch.objects.filter(pk=batch).first()
            here = list(blocks.filter(batch_id=batch))
            present = _present(table, form, head) if head else iter(())
            ranges = self._ranges_of(batch, here)
            if head and ranges is not None:
                beside = (row for row in present if not any(row.row in each for each in ranges))
                yield from (("row_added", row, None) for row in beside)
                continue
            is_named = bool(here) and all(map(_is_whole, here))
            for what, entry, place in _differences(here, present) if head else ():
                is_named |= what != "row_removed" or entry.row not in retired
                yield what, entry, place
            if not is_named:
                self._unnamed.add(batch)

    def differing(self) -> Iterator[tuple[int, int, int]]:
        """Yield each batch whose rows differ from the sealed ones, with the sealed and the present
        number of rows, if `named` has named none of its rows.

        Call it when `named` was read to its end.
        """
        for batch in sorted(self._unnamed):
            were = sum(rows for rows, _ in self._blocks[batch])
            yield batch, were, sum(rows for rows, _ in self._made.get(batch, []))


def _differences(
    blocks: Sequence[Block], present: Iterator[wire.Entry]
) -> Iterator[tuple[str, wire.Entry, int | None]]:
    """Yield the rows that differ from the entries of a batch's blocks; none if these are wrong."""
    if not any(map(wrong_entries, blocks)):
        sealed = ((entry, block.batch_id) for block in blocks for entry in _kept(block))
        yield from compared(sealed, present)


def _present(table: Journaled, form: RowForm, head: Batch) -> Iterator[wire.Entry]:
    """Return the entries of the rows that a batch sealed, as they are now."""
    is_small = head.entries <= spans.MOST_SORTED
    return rows.entries(table, form.columns, batch_span(head), is_small=is_small)


def _kept(block: Block) -> Iterable[wire.Entry]:
    """Return the stored part of the entries of a block that has some of them, or all."""
    if block.entries is not None:
        return wire.entries_of(bytes(block.entries))
    return wire.short_entries(bytes(block.short or b""), block.rows)


def wrong_entries(block: Block, retired: Numbers = ()) -> str:
    """Return the fault of a block's stored entries in words; "" if there is none.

    Nothing need be kept where the block's batch is `retired`.
    """
    if block.entries is not None:
        if len(block.entries) != block.rows * wire.ENTRY_BYTES:
            return f"are not {block.rows}"
        return "" if _is_whole(block) else "were changed"
    if block.short is not None:
        return "" if wire.is_short(bytes(block.short), block.rows) else f"are not {block.rows}"
    return "" if block.batch_id in retired else "are gone, and their month was not retired"


def is_gone(block: Block) -> bool:
    """Return whether a block has no entries any more, not even shortened ones."""
    return block.entries is None and block.short is None


def _is_whole(block: Block) -> bool:
    """Return whether the block has the entries that its batch's head proves."""
    content = block.entries
    return content is not None and hashlib.sha256(content).digest() == bytes(block.sha256)


def sealed_entries(
    table: Journaled, stretch: Stretch, left: Left
) -> Iterator[tuple[wire.Entry, int]]:
    """Yield the journal's entries of the table, with their batches; keep what left in `left`."""
    for block in _blocks(table, stretch):
        if block.entries is None:
            left.add(block)
            continue
        content = bytes(block.entries)
        complete = len(content) - len(content) % wire.ENTRY_BYTES
        for entry in wire.entries_of(content[:complete]):
            yield entry, block.batch_id


_BLOCKS_AT_ONCE = 16
_BLOCKS = """
SELECT b.id, b.batch_id, b.position, b.rows, b.sha256, b.entries, b.short
  FROM journal_block b JOIN journal_rowform f ON f.id = b.row_form_id
 WHERE f.relation = %s AND b.batch_id >= %s AND b.batch_id <= %s ORDER BY b.batch_id, b.position
"""


def _blocks(table: Journaled, stretch: Stretch) -> Iterator[Block]:
    """Yield the blocks of a table in order, without their forms."""
    names = ("id", "batch_id", "position", "rows", "sha256", "entries", "short")
    with rows.reading("journal_blocks", is_small=stretch.is_small) as cursor:
        cursor.execute(_BLOCKS, [table.name, stretch.first_batch, stretch.last_batch])
        while here := cursor.fetchmany(_BLOCKS_AT_ONCE):
            for values in here:
                yield Block(**dict(zip(names, values, strict=True)))
