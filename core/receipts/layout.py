"""Lay a document out as lines of a fixed number of columns, for printers and consoles."""

import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from core.receipts.document import (
    Align,
    Block,
    Document,
    Emphasis,
    Line,
    Notice,
    Pair,
    Qr,
    Rule,
    Spacer,
    Table,
    Title,
)

COLUMNS = 48


@dataclass(frozen=True, slots=True)
class Printed:
    """One line, already aligned."""

    text: str
    emphasis: Emphasis = Emphasis.NORMAL


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of documents for one device.

    `fit` makes a text fit for the device before its width is counted. LARGE lines have
    `large_columns` columns, all others `COLUMNS`.
    """

    fit: Callable[[str], str]
    large_columns: int

    def lines(self, document: Document) -> Iterator[Printed | Qr]:
        """Yield the lines of `document`, with its banners first and last."""
        banners = [line for text in document.banners for line in self._banner(text)]
        yield from banners
        for block in document.blocks:
            yield from self._block(block)
        yield from banners

    def _banner(self, text: str) -> Iterator[Printed]:
        yield Printed("#" * COLUMNS, Emphasis.BOLD)
        yield from self._paragraph(text, Align.CENTRE, Emphasis.LARGE)
        yield Printed("#" * COLUMNS, Emphasis.BOLD)

    def _block(self, block: Block) -> Iterator[Printed | Qr]:
        match block:
            case Title(text):
                yield from self._paragraph(text, Align.CENTRE, Emphasis.LARGE)
            case Line(text, align, emphasis):
                yield from self._paragraph(text, align, emphasis)
            case Pair():
                yield from self._pair(block)
            case Table():
                yield from self._table(block)
            case Rule():
                yield Printed("-" * COLUMNS)
            case Notice(text):
                yield from self._notice(text)
            case Spacer(lines):
                yield from (Printed("") for _ in range(lines))
            case Qr():
                yield block

    def _paragraph(self, text: str, align: Align, emphasis: Emphasis) -> Iterator[Printed]:
        width = self._width(emphasis)
        for line in _wrap(self.fit(text), width):
            yield Printed(_aligned(line, width, align).rstrip(), emphasis)

    def _pair(self, pair: Pair) -> Iterator[Printed]:
        label, value = self.fit(pair.label), self.fit(pair.value)
        gap = self._width(pair.emphasis) - len(label) - len(value)
        if gap >= 1 and "\n" not in label + value:
            yield Printed(label + " " * gap + value, pair.emphasis)
        else:
            yield from self._paragraph(label, Align.LEFT, pair.emphasis)
            yield from self._paragraph(value, Align.RIGHT, pair.emphasis)

    def _notice(self, text: str) -> Iterator[Printed]:
        edge = "+" + "-" * (COLUMNS - 2) + "+"
        yield Printed(edge)
        for line in _wrap(self.fit(text), COLUMNS - 4):
            yield Printed(f"| {line:^{COLUMNS - 4}} |", Emphasis.BOLD)
        yield Printed(edge)

    def _table(self, table: Table) -> Iterator[Printed]:
        """Yield the header in normal letters and the rows in theirs, in the same columns."""
        header = tuple(map(self.fit, table.header or ("",) * table.columns))
        rows = [tuple(map(self.fit, row)) for row in table.rows]
        columns = self._width(table.emphasis)
        scale = COLUMNS // columns
        least = [-(-_longest(cell.split()) // scale) for cell in header]
        needed = [
            max(-(-_longest(head.split("\n")) // scale), *(_longest(c.split("\n")) for c in cells))
            for head, *cells in zip(header, *rows, strict=True)
        ]
        widths = shared_widths(needed, columns - table.columns + 1, least)
        aligns = table.column_aligns
        if table.header:
            wide = [width * scale for width in widths]
            yield from _row(header, wide, aligns, Emphasis.BOLD, gap=" " * scale)
        for cells in rows:
            yield from _row(cells, widths, aligns, table.emphasis)

    def _width(self, emphasis: Emphasis) -> int:
        return self.large_columns if emphasis is Emphasis.LARGE else COLUMNS


def shared_widths(
    needed: Sequence[int],
    available: int,
    least: Sequence[int] = (),
    tightest: Sequence[int] = (),
) -> list[int]:
    """Return the widths that the columns get of `available`.

    Each column gets what it needs. The widest gives way until all fit: none below its `least` as
    long as another one can, and none below its `tightest` (1 by default), which must fit together.
    """
    widths = [max(1, min(width, available)) for width in needed]
    ones = [1] * len(widths)
    for floors in (least or ones, tightest or ones):
        while sum(widths) > available:
            above = [at for at, floor in enumerate(floors) if widths[at] > max(floor, 1)]
            if not above:
                break
            widths[max(above, key=widths.__getitem__)] -= 1
    return widths


def _longest(texts: Sequence[str]) -> int:
    return max(map(len, texts), default=0)


def _row(
    cells: tuple[str, ...],
    widths: list[int],
    aligns: tuple[Align, ...],
    emphasis: Emphasis,
    gap: str = " ",
) -> Iterator[Printed]:
    wrapped = [_wrap(cell, width) for cell, width in zip(cells, widths, strict=True)]
    for at in range(max(map(len, wrapped))):
        parts = (
            _aligned(lines[at] if at < len(lines) else "", width, align)
            for lines, width, align in zip(wrapped, widths, aligns, strict=True)
        )
        yield Printed(gap.join(parts).rstrip(), emphasis)


def _wrap(text: str, width: int) -> list[str]:
    wrapper = textwrap.TextWrapper(width, break_on_hyphens=False)
    return [line for part in text.split("\n") for line in wrapper.wrap(part) or [""]]


def _aligned(line: str, width: int, align: Align) -> str:
    match align:
        case Align.LEFT:
            return line.ljust(width)
        case Align.CENTRE:
            return line.center(width)
        case Align.RIGHT:
            return line.rjust(width)
