"""Divide the journal into stretches of batches in which the rows of a table can be compared.

A batch has late transactions of earlier ones, so entries are in the order of transactions within a
batch and not from batch to batch. A stretch is one batch, or so few entries that they can be sorted
in memory.
"""

import bisect
import dataclasses
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Self, TypeVar

from django.db.models import QuerySet

from core.database.reading.asking import fetch_all
from core.database.reading.numbers import NO_END
from core.journal import rows, wire
from core.journal.install import Journaled, journaled
from core.journal.models import Batch, Block, Change, RowForm
from core.journal.rows import Span

MOST_SORTED = 65_536
"""Entries, of all tables, in a stretch of several batches."""
MOST_KEPT = 10_000
"""Batches of which the transactions are kept for all tables."""
_NEVER = -(2**62)


@dataclasses.dataclass(frozen=True, slots=True)
class Part:
    """The batches after `since` (None: from the first) up to `until` (None: and all that follows).

    Its transactions begin with the first that was in progress when `since` was sealed.
    """

    since: Batch | None = None
    until: Batch | None = None
    runs: "tuple[Run, ...] | None" = None
    """The batches that `read` took; without it every table reads them itself."""
    forms: Mapping[str, tuple[RowForm, ...]] | None = None
    """The forms of entries that `read` took, by table."""

    def read(self) -> "Part":
        """Return the part with its batches and forms read, once for all tables that are compared.

        What is sealed after that is of the next verification.
        """
        runs = tuple(_kept(_runs(self)))
        forms: dict[str, tuple[RowForm, ...]] = {}
        for form in RowForm.objects.order_by("pk"):  # those of all batches that were read
            forms[form.relation] = (*forms.get(form.relation, ()), form)
        return dataclasses.replace(self, runs=runs, forms=forms)

    @property
    def is_whole(self) -> bool:
        return self.since is None and self.until is None

    @property
    def first_xid(self) -> int:
        """Return the first transaction of the part."""
        return min([self.since.end_xid, *self.since.open_xids]) if self.since else 0

    @property
    def end_xid(self) -> int:
        """Return the first transaction after the part."""
        return self.until.end_xid if self.until else NO_END

    def span(self) -> Span:
        """Return the span of the part's transactions.

        It includes those in between that an earlier batch sealed.
        """
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


def part_that_sealed(first_xid: int, last_xid: int) -> Part:
    """Return the part of the journal whose batches sealed these transactions, the last included.

    A batch leaves out those that were in progress: the part ends with the first one that leaves out
    none of these, whatever else was in progress, in another database perhaps. It ends with the
    journal where no batch has all of them yet.
    """
    since = Batch.objects.filter(end_xid__lte=first_xid).order_by("-number").first()
    later = Part(since).batches().filter(end_xid__gt=last_xid).order_by("number")
    until = next(
        (
            batch
            for batch in later.iterator()
            if not any(first_xid <= xid <= last_xid for xid in batch.open_xids)
        ),
        None,
    )
    return Part(since, until)


_NOT_IN_FORCE = """
WITH keys AS (
    SELECT k.id, k.first_sequence, CASE WHEN EXISTS (
           SELECT FROM journal_batch s WHERE s.number = %(since)s
              AND s.end_xid > k.journal_xid AND k.journal_xid <> ALL (s.open_xids))
           THEN %(since)s ELSE coalesce(
           (SELECT min(b.number) FROM journal_batch b
             WHERE b.number > %(since)s AND b.number <= %(until)s + 1
               AND b.end_xid > k.journal_xid AND k.journal_xid <> ALL (b.open_xids)),
           (SELECT least(max(number) + 1, %(until)s + 2) FROM journal_batch)) END AS first
      FROM proofs_signingkey k),
ends AS (SELECT id, first, lead(first) OVER (ORDER BY first_sequence) AS until FROM keys)
SELECT b.number FROM journal_batch b JOIN ends e ON e.id = b.key_id
 WHERE b.number > %(since)s AND b.number <= %(until)s
   AND (b.number < e.first - 1 OR b.number >= e.until)
 ORDER BY b.number
"""


def not_in_force(part: Part) -> list[int]:
    """Return the batches whose key was not in force, whatever clocks said: a key signs up to the
    batch that has the transaction of its replacement, which the batch before may have awaited.

    Of batches outside the part it reads only the ones beside it.
    """
    since = part.since.number if part.since else 0
    until = part.until.number if part.until else NO_END - 2
    # One statement: a key may be replaced meanwhile.
    return [number for (number,) in fetch_all(_NOT_IN_FORCE, {"since": since, "until": until})]


class Batches:
    """Consecutive batches, found by their transactions."""

    def __init__(self, batches: Sequence[Batch]) -> None:
        self._numbers = [batch.number for batch in batches]
        self._first = [batch.first_xid for batch in batches]
        self._open = [frozenset(batch.open_xids) for batch in batches]
        self._end = batches[-1].end_xid if batches else 0

    @classmethod
    def between(cls, first: int, last: int) -> Self:
        """Read the batches from `first` to `last`."""
        batches = Batch.objects.filter(number__gte=first, number__lte=last).order_by("number")
        return cls(list(batches.only("number", "first_xid", "end_xid", "open_xids")))

    def __len__(self) -> int:
        return len(self._numbers)

    def of(self, xid: int) -> int | None:
        """Return the batch that sealed a transaction, the first one for an earlier transaction;
        None if a later batch has it.
        """
        if xid >= self._end:
            return None
        place = max(bisect.bisect_right(self._first, xid) - 1, 0)
        while place < len(self._numbers) and xid in self._open[place]:
            place += 1
        return self._numbers[place] if place < len(self._numbers) else None


def tables_of(part: Part, filled: Collection[str]) -> list[Journaled]:
    """Return the tables that have rows, changes or entries of a part of the journal.

    `filled` are the names of those that have rows of it (`rows.written_to`).
    """
    changed = Change.objects.filter(xid__gte=part.first_xid, xid__lt=part.end_xid)
    sealed = RowForm.objects.all()
    if not part.is_whole:
        of_part = Block.objects.filter(batch_id__in=part.batches().values("pk"))
        sealed = sealed.filter(pk__in=of_part.values("row_form"))
    written = {
        *filled,
        *changed.values_list("relation", flat=True).distinct(),
        *sealed.values_list("relation", flat=True),
    }
    return [table for table in journaled() if table.name in written]


@dataclasses.dataclass(frozen=True, slots=True)
class Run:
    """Batches that follow one another, few enough to sort their entries, and their transactions.

    One that `is_small` has so few entries that a table's can be read at once.
    """

    first_batch: int
    last_batch: int
    span: Span
    is_small: bool
    batches: Batches | None


@dataclasses.dataclass(frozen=True, slots=True)
class Stretch(Run):
    """Batches in which a table's digests cover the same columns, those of `form`.

    `batches` are not kept of a long journal.
    """

    form: RowForm


_FORMS = """
SELECT batch_id, row_form_id, columns FROM (
    SELECT b.batch_id, b.row_form_id, f.columns,
           lag(b.row_form_id) OVER (ORDER BY b.batch_id, b.position) AS before
      FROM journal_block b JOIN journal_rowform f ON f.id = b.row_form_id WHERE f.relation = %s) s
 WHERE before IS DISTINCT FROM row_form_id ORDER BY batch_id
"""


def stretches(table: Journaled, part: Part = WHOLE) -> Iterator[Stretch]:
    """Yield the stretches of a table that together cover a part of the journal.

    They hold every transaction but those that the last batch calls open.
    """
    forms = _forms(table, part)
    earlier = [batch for batch in forms if part.since and batch <= part.since.number]
    if forms:
        form = forms[max(earlier, default=min(forms))]
    else:
        form = RowForm(relation=table.name, columns=rows.present_columns(table))
    is_divided = any(batch > 0 for batch in forms)
    runs = _runs(part, forms) if is_divided or part.runs is None else part.runs
    for run in runs:
        form = forms.get(run.first_batch, form)
        ends = run.first_batch, run.last_batch
        yield Stretch(*ends, run.span, run.is_small, run.batches, form)


def _runs(part: Part, beginning: Container[int] = ()) -> Iterator[Run]:
    """Yield the batches of a part in runs. A new run starts at each batch of `beginning`."""
    before, run, entries = part.since, list[Batch](), 0
    after = part.batches().order_by("number")
    for batch in after.only("number", "first_xid", "end_xid", "open_xids", "entries").iterator():
        entries += batch.entries
        if run and (entries > MOST_SORTED or batch.number in beginning):
            yield _run(before, run, entries - batch.entries)
            before, run, entries = run[-1], [], batch.entries
        run.append(batch)
    if run:
        yield _run(before, run, entries)


def _kept(runs: Iterator[Run]) -> Iterator[Run]:
    """Yield runs, without the batches of the later ones where all together are many."""
    batches = 0
    for run in runs:
        batches += run.last_batch - run.first_batch + 1
        yield run if batches <= MOST_KEPT else dataclasses.replace(run, batches=None)


def _forms(table: Journaled, part: Part) -> dict[int, RowForm]:
    """Return the forms of a table's entries by their first batch; a single form has the batch 0."""
    if part.forms is None:
        forms = tuple(RowForm.objects.filter(relation=table.name))
    else:
        forms = part.forms.get(table.name, ())
    if len(forms) == 1:  # without a look at every block
        return dict.fromkeys([0], *forms)
    # This statement reads the columns itself, because a batch with a new form may be sealed
    # between two statements.
    return {
        batch: RowForm(pk=form, relation=table.name, columns=columns)
        for batch, form, columns in fetch_all(_FORMS, [table.name])
    }


def batch_span(batch: Batch) -> Span:
    """Return the transactions of one batch: without those that it left to later ones."""
    before = Batch.objects.filter(number=batch.number - 1).first()
    late = tuple(before.open_xids) if before else ()
    return Span(batch.first_xid, batch.end_xid, late, tuple(batch.open_xids))


def _run(before: Batch | None, run: list[Batch], entries: int) -> Run:
    first = before.end_xid if before else _NEVER
    late = tuple(before.open_xids) if before else ()
    last = run[-1]
    span = Span(first, last.end_xid, late, tuple(last.open_xids))
    return Run(run[0].number, last.number, span, entries <= MOST_SORTED, Batches(run))


class Again:
    """Recompute the entries of a batch from its rows, block by block in order.

    Needs `rows.ready` before.
    """

    def __init__(self, tables: Mapping[str, Journaled], batch: Batch) -> None:
        self._tables, self._batch, self._span = tables, batch, batch_span(batch)
        self._relation, self._entries = "", iter(list[bytes]())

    def entries(self, block: Block) -> bytes:
        """Return the entries of the batch's next block: its own, or as many from the rows.

        They are fewer where rows left with the entries of their block.
        """
        if block.entries is not None:
            return bytes(block.entries)
        form = block.row_form
        if form.relation != self._relation:
            table, self._relation = self._tables[form.relation], form.relation
            is_small = self._batch.entries <= MOST_SORTED
            again = rows.blocks(table, form.columns, self._span, is_small=is_small)
            self._entries = chain.from_iterable(again)
        return b"".join(islice(self._entries, block.rows))


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
    """Walk through sealed entries and rows in the order of the journal; yield the fault and the
    batch of each row that differs.

    The fault is `row_changed`, `row_removed` or `row_added`; the last has no batch.
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
