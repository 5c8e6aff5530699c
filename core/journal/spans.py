"""Divide the journal into stretches of batches in which the rows of a table can be compared.

A batch has late transactions of earlier ones, so entries are in the order of transactions within a
batch and not from batch to batch. A stretch is one batch, or so few entries that they can be sorted
in memory.
"""

import bisect
import dataclasses
import hashlib
from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Protocol, TypeVar

from django.db import connection
from django.db.models import QuerySet

from core.journal import rows, wire
from core.journal.install import Journaled
from core.journal.models import Batch, Block, RowForm
from core.journal.rows import Span

MOST_SORTED = 65_536
"""Entries, of all tables, in a stretch of several batches."""
_NEVER = -(2**62)
_END = 2**63 - 1


class Numbers(Protocol):
    """Rows or batches: `core.proofs.selectors` has those that were retired."""

    def __contains__(self, number: int, /) -> bool: ...


@dataclasses.dataclass(frozen=True, slots=True)
class Part:
    """The batches after `since` (None: from the first) up to `until` (None: and all that follows).

    Its transactions begin with the first that was in progress when `since` was sealed.
    """

    since: Batch | None = None
    until: Batch | None = None
    runs: "tuple[Run, ...] | None" = None
    """What `read` found; without it every table reads the batches itself."""

    def read(self) -> "Part":
        """Return the part with its batches read, once for all tables that are compared.

        What is sealed after that is of the next verification.
        """
        return dataclasses.replace(self, runs=tuple(_runs(self)))

    @property
    def is_whole(self) -> bool:
        return self.since is None and self.until is None

    @property
    def first_xid(self) -> int:
        """Return a transaction that none of the part is before."""
        return min([self.since.end_xid, *self.since.open_xids]) if self.since else 0

    @property
    def end_xid(self) -> int:
        """Return a transaction that every one of the part is before."""
        return self.until.end_xid if self.until else _END

    def span(self) -> Span:
        """Return its transactions, and those between that were sealed before it."""
        return Span(self.first_xid if self.since else _NEVER, self.end_xid)

    def batches(self) -> QuerySet[Batch]:
        after = Batch.objects.filter(number__gt=self.since.number if self.since else 0)
        return after.filter(number__lte=self.until.number) if self.until else after

    def blocks(self) -> QuerySet[Block]:
        """Return the blocks of its batches, with those of batches that are gone."""
        after = (
            Block.objects.filter(batch_id__gt=self.since.number) if self.since else Block.objects
        )
        return after.filter(batch_id__lte=self.until.number) if self.until else after.all()


WHOLE = Part()


@dataclasses.dataclass(frozen=True, slots=True)
class Run:
    """Batches that follow one another, few enough to sort their entries, and their transactions."""

    first_batch: int
    last_batch: int
    span: Span


@dataclasses.dataclass(frozen=True, slots=True)
class Stretch:
    """Batches in which a table's digests cover the same columns, and their transactions."""

    form: RowForm
    first_batch: int
    last_batch: int
    span: Span


_FORMS = """
SELECT batch_id, row_form_id, columns FROM (
    SELECT b.batch_id, b.row_form_id, f.columns,
           lag(b.row_form_id) OVER (ORDER BY b.batch_id, b.position) AS before
      FROM journal_block b JOIN journal_rowform f ON f.id = b.row_form_id WHERE f.relation = %s) s
 WHERE before IS DISTINCT FROM row_form_id ORDER BY batch_id
"""


def stretches(table: Journaled, part: Part = WHOLE) -> Iterator[Stretch]:
    """Yield the stretches of a table in a part of the journal, without a gap.

    They hold every transaction but those that the last batch calls open.
    """
    forms = _forms(table)
    earlier = [batch for batch in forms if part.since and batch <= part.since.number]
    if forms:
        form = forms[max(earlier, default=min(forms))]
    else:
        form = RowForm(relation=table.name, columns=rows.present_columns(table))
    is_divided = any(batch > 0 for batch in forms)
    runs = _runs(part, forms) if is_divided or part.runs is None else part.runs
    for run in runs:
        form = forms.get(run.first_batch, form)
        yield Stretch(form, run.first_batch, run.last_batch, run.span)


def _runs(part: Part, beginning: Container[int] = ()) -> Iterator[Run]:
    """Yield the batches of a part in runs, which begin anew with each of those batches."""
    before, run, entries = part.since, list[Batch](), 0
    after = part.batches().order_by("number")
    for batch in after.only("number", "first_xid", "end_xid", "open_xids", "entries").iterator():
        entries += batch.entries
        if run and (entries > MOST_SORTED or batch.number in beginning):
            yield _run(before, run)
            before, run, entries = run[-1], [], batch.entries
        run.append(batch)
    if run:
        yield _run(before, run)


def _forms(table: Journaled) -> dict[int, RowForm]:
    """Return the forms of a table's entries by the first batch of each; an only one has 0."""
    forms = list(RowForm.objects.filter(relation=table.name))
    if len(forms) == 1:  # without a look at every block
        return dict.fromkeys([0], *forms)
    # This statement reads the columns itself, because a batch with a new form may be sealed
    # between two statements.
    with connection.cursor() as cursor:
        cursor.execute(_FORMS, [table.name])
        return {
            batch: RowForm(pk=form, relation=table.name, columns=columns)
            for batch, form, columns in cursor.fetchall()
        }


def batch_span(batch: Batch) -> Span:
    """Return the transactions of one batch: without those that it left to later ones."""
    before = Batch.objects.filter(number=batch.number - 1).first()
    late = tuple(before.open_xids) if before else ()
    return Span(batch.first_xid, batch.end_xid, late, tuple(batch.open_xids))


def _run(before: Batch | None, run: list[Batch]) -> Run:
    first = before.end_xid if before else _NEVER
    late = tuple(before.open_xids) if before else ()
    last = run[-1]
    span = Span(first, last.end_xid, late, tuple(last.open_xids))
    return Run(run[0].number, last.number, span)


class Again:
    """The entries of a batch, which its rows give again, block by block in order.

    Needs `rows.ready` before.
    """

    def __init__(self, tables: Mapping[str, Journaled], batch: Batch) -> None:
        self._tables, self._batch = tables, batch
        self._relation, self._entries = "", iter(list[bytes]())

    def entries(self, block: Block) -> bytes:
        """Return the entries of the batch's next block: its own, or as many from the rows."""
        if block.entries is not None:
            return bytes(block.entries)
        form = block.row_form
        if form.relation != self._relation:
            table, span = self._tables[form.relation], batch_span(self._batch)
            self._relation = form.relation
            self._entries = chain.from_iterable(rows.blocks(table, form.columns, span))
        return b"".join(islice(self._entries, block.rows))


class Left:
    """Batches of a stretch without a table's entries: its rows must give them again.

    `sealed_entries` finds the blocks, `others` digests the rows of their batches as they come.
    """

    def __init__(self) -> None:
        self._blocks: dict[int, list[tuple[int, bytes]]] = {}
        self._kept: dict[int, list[Block]] = {}
        self._made: dict[int, list[tuple[int, bytes]]] = {}
        self._waiting: dict[int, list[bytes]] = {}
        self._unnamed: set[int] = set()
        self.otherwise: list[tuple[int, int]] = []
        """Batch and position of blocks that keep other short entries than those of their rows."""

    def add(self, block: Block) -> None:
        """Keep how many entries the block had, their digest, and what shortens them."""
        here = self._blocks.setdefault(block.batch_id, [])
        here.append((block.rows, bytes(block.sha256)))
        self._kept.setdefault(block.batch_id, []).append(block)

    def others(self, present: Iterable[wire.Entry], stretch: Stretch) -> Iterator[wire.Entry]:
        """Yield the rows of other batches. Where the stretch is one batch, they are in order."""
        batches: _Batches | None = None
        for entry in present:
            if not self._blocks:
                yield entry
                continue
            if batches is None:
                batches = _Batches(stretch)
            batch = batches.of(entry.xid)
            if batch in self._blocks:
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
        made, blocks = self._made[batch], self._blocks[batch]
        made.append((len(waiting), hashlib.sha256(b"".join(waiting)).digest()))
        place = len(made) - 1
        if place < len(blocks) and made[place] == blocks[place]:
            block = self._kept[batch][place]
            if block.short is not None and not wire.is_shortened(bytes(block.short), waiting):
                self.otherwise.append((batch, block.position))
        waiting.clear()

    def _differing(self) -> list[int]:
        return [batch for batch, blocks in self._blocks.items() if self._made.get(batch) != blocks]

    def named(
        self, table: Journaled, form: RowForm, retired: Numbers
    ) -> Iterator[tuple[str, wire.Entry, int | None]]:
        """Yield the rows of `differing` batches as `compared` does, by what is kept of entries.

        Call it when `others` was read to its end. The blocks are read again: a night may have
        filled their entries meanwhile, and deleted rows. Without entries it is not enough that
        `retired` rows are gone, for these must be proved by them.
        """
        blocks = Block.objects.filter(row_form__relation=table.name).order_by("position")
        for batch in self._differing():
            head = Batch.objects.filter(pk=batch).first()
            here = list(blocks.filter(batch_id=batch))
            is_named = bool(here) and all(map(_is_whole, here))
            if head is not None and not any(map(wrong_entries, here)):
                sealed = ((entry, batch) for block in here for entry in _kept(block))
                present = rows.entries(table, form.columns, batch_span(head))
                for what, entry, place in compared(sealed, present):
                    is_named |= not (what == "row_removed" and entry.row in retired)
                    yield what, entry, place
            if not is_named:
                self._unnamed.add(batch)

    def differing(self) -> Iterator[tuple[int, int, int]]:
        """Yield each batch whose rows are not as they were sealed, and how many these were and are,
        where no row of it was `named`.

        Call it when `named` was read to its end.
        """
        for batch in sorted(self._unnamed):
            were = sum(rows for rows, _ in self._blocks[batch])
            yield batch, were, sum(rows for rows, _ in self._made.get(batch, []))


def _kept(block: Block) -> Iterable[wire.Entry]:
    """Return what is kept of the entries of a block that has some of them, or all."""
    if block.entries is not None:
        return wire.entries_of(bytes(block.entries))
    return wire.short_entries(bytes(block.short or b""), block.rows)


def wrong_entries(block: Block, retired: Numbers = ()) -> str:
    """Return what is wrong with what is kept of a block's entries; "" if nothing is.

    Nothing need be kept where the block's batch is `retired`.
    """
    if block.entries is not None:
        if len(block.entries) != block.rows * wire.ENTRY_BYTES:
            return f"are not {block.rows}"
        return "" if _is_whole(block) else "were changed"
    if block.short is not None:
        return "" if wire.is_short(bytes(block.short), block.rows) else f"are not {block.rows}"
    return "" if block.batch_id in retired else "are gone, and their month was not retired"


def _is_whole(block: Block) -> bool:
    """Return whether the block has the entries that its batch's head proves."""
    content = block.entries
    return content is not None and hashlib.sha256(content).digest() == bytes(block.sha256)


class _Batches:
    """The batches of a stretch, by their transactions."""

    def __init__(self, stretch: Stretch) -> None:
        of_stretch = Batch.objects.filter(
            number__gte=stretch.first_batch, number__lte=stretch.last_batch
        ).order_by("number")
        found = list(of_stretch.values_list("number", "first_xid", "open_xids"))
        self._numbers = [number for number, _, _ in found]
        self._first = [first for _, first, _ in found]
        self._open = [frozenset(xids) for _, _, xids in found]

    def of(self, xid: int) -> int:
        """Return the batch that sealed a transaction of the stretch."""
        place = max(bisect.bisect_right(self._first, xid) - 1, 0)
        while place < len(self._numbers) - 1 and xid in self._open[place]:
            place += 1
        return self._numbers[place]


def sealed_entries(
    table: Journaled, stretch: Stretch, left: Left
) -> Iterator[tuple[wire.Entry, int]]:
    """Yield the journal's entries of the table, with their batches; keep what left in `left`."""
    blocks = Block.objects.filter(
        row_form__relation=table.name,
        batch_id__gte=stretch.first_batch,
        batch_id__lte=stretch.last_batch,
    )
    for block in blocks.order_by("batch_id", "position").iterator(chunk_size=16):
        if block.entries is None:
            left.add(block)
            continue
        content = bytes(block.entries)
        complete = len(content) - len(content) % wire.ENTRY_BYTES
        for entry in wire.entries_of(content[:complete]):
            yield entry, block.batch_id


Read = TypeVar("Read", bound="wire.Entry | tuple[wire.Entry, int]")


def in_order(entries: Iterable[Read], stretch: Stretch) -> Iterator[Read]:
    """Return the entries of a stretch in the order of transactions and rows.

    Those of one batch are in that order already, and may be too many for memory.
    """
    alone = stretch.first_batch == stretch.last_batch
    return iter(entries) if alone else iter(sorted(entries, key=_place))


def _place(read: Read) -> tuple[int, int]:
    entry = read if isinstance(read, wire.Entry) else read[0]
    return entry.xid, entry.row


_PAST = (2**63, 0)


def compared(
    sealed: Iterator[tuple[wire.Entry, int]], present: Iterator[wire.Entry]
) -> Iterator[tuple[str, wire.Entry, int | None]]:
    """Walk both in the order of the journal; yield what each row that differs is, and its batch.

    It is `row_changed`, `row_removed` or `row_added`; the last has no batch.
    """
    entry, row = next(sealed, None), next(present, None)
    while entry is not None or row is not None:
        entry_key = (entry[0].xid, entry[0].row) if entry else _PAST
        row_key = (row.xid, row.row) if row else _PAST
        if entry_key == row_key and entry and row:
            if not row.digest.startswith(entry[0].digest):  # it may be shortened
                yield "row_changed", row, entry[1]
            entry, row = next(sealed, None), next(present, None)
        elif entry_key < row_key and entry:
            yield "row_removed", *entry
            entry = next(sealed, None)
        elif row:
            yield "row_added", row, None
            row = next(present, None)
