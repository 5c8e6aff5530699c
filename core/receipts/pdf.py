"""Render a document as PDF: a receipt of 80 mm, as long as needed, or A4 sheets.

The built-in Helvetica with code page 1252 covers Catalan, Spanish and English, and the euro sign;
any other character becomes the nearest one. The same document and date give the same bytes.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from itertools import zip_longest
from typing import Literal, cast

from fpdf import FPDF
from fpdf.enums import MethodReturnValue, TableBordersLayout, VAlign
from fpdf.fonts import FontFace

from core.receipts import qr
from core.receipts.charset import encodable
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
from core.receipts.layout import shared_widths
from core.receipts.paper import Paper, Sheet

ENCODING = "cp1252"
MM_PER_POINT = 25.4 / 72
_PAGES = "\x01" * 4  # stands for their number; no text of a document has a control character
MAX_PAGE_MM = 5000  # a PDF page is at most 14,400 points
_LINES_OF_A_HEADING = 4  # itself, a line about it, the head of a table and its first row
_SCALES = (1, 0.9, 0.8, 0.7)  # of a table's letters; at the last, 12 characters fit side by side


def render(document: Document, *, created_at: datetime, paper: Paper) -> bytes:
    """Return the PDF file. `created_at` (with a time zone) is the date in its metadata."""
    if created_at.tzinfo is None:
        raise ValueError("the date of a document has a time zone")
    sheet = paper.value
    if sheet.height_mm is not None:
        return bytes(_draw(document, created_at, sheet, sheet.height_mm).output())
    trial = _draw(document, created_at, sheet, MAX_PAGE_MM)
    if trial.page_no() > 1:
        return bytes(trial.output())
    needed_mm = trial.get_y() + sheet.margin_mm + 1
    return bytes(_draw(document, created_at, sheet, needed_mm).output())


def _draw(document: Document, created_at: datetime, sheet: Sheet, height_mm: float) -> "_Pdf":
    pdf = _Pdf(document, sheet, height_mm)
    pdf.set_creation_date(created_at)
    pdf.add_page()
    for block in document.blocks:
        pdf.block(block)
    return pdf


class _Pdf(FPDF):
    def __init__(self, document: Document, sheet: Sheet, height_mm: float) -> None:
        super().__init__(unit="mm", format=(sheet.width_mm, height_mm))
        self.core_fonts_encoding = ENCODING
        self.alias_nb_pages(_PAGES)
        self.document = document
        self.sheet = sheet
        self.set_margin(sheet.margin_mm)
        self.set_auto_page_break(True, margin=sheet.margin_mm)
        self.set_title(document.title)
        self.set_lang(document.language)
        self.c_margin = 0.5
        self.style(Emphasis.NORMAL)

    def header(self) -> None:
        """Draw the banners on every page, because pages get separated."""
        for banner in self.document.banners:
            self.set_font("helvetica", "B", self.sheet.font_points * 2.4)
            self.set_line_width(0.8)
            self.paragraph(banner, Align.CENTRE, border=1)
            self.set_line_width(0.2)
            self.ln(1)
        self.banners_end_mm = self.y
        self.style(Emphasis.NORMAL)

    def footer(self) -> None:
        """Draw the number of the page, where there are sheets."""
        if self.sheet.height_mm is not None:
            self.set_y(-self.sheet.margin_mm)
            self.set_font("helvetica", "", 8)
            self.cell(0, 4, f"{self.page_no()} / {_PAGES}", align="R")

    def style(self, emphasis: Emphasis, scale: float = 1) -> None:
        large = 1.8 if emphasis is Emphasis.LARGE else 1
        bold = "" if emphasis is Emphasis.NORMAL else "B"
        self.set_font("helvetica", bold, self.sheet.font_points * large * scale)

    @property
    def line_mm(self) -> float:
        return self.font_size_pt * 1.25 * MM_PER_POINT

    def paragraph(self, text: str, align: Align, border: Literal[0, 1] = 0) -> None:
        fitted = encodable(text, ENCODING)
        if not fitted.strip():
            self.ln(self.line_mm)
            return
        self.multi_cell(
            0, self.line_mm, fitted, border, align[0].upper(), new_x="LMARGIN", new_y="NEXT"
        )

    def block(self, block: Block) -> None:
        match block:
            case Title(text):
                self.style(Emphasis.LARGE)
                self.paragraph(text, Align.CENTRE)
                self.ln(1)
            case Line(text, align, emphasis):
                self.style(emphasis)
                if emphasis is Emphasis.BOLD and self.sheet.height_mm is not None:
                    self.keep_with_what_follows()
                self.paragraph(text, align)
            case Pair(label, value, emphasis):
                self.style(emphasis)
                self.pair(label, value)
            case Table():
                self.table_block(block)
            case Rule():
                self.ln(1)
                self.line(self.l_margin, self.y, self.w - self.r_margin, self.y)
                self.ln(1)
            case Notice(text):
                self.style(Emphasis.BOLD)
                self.ln(1)
                self.paragraph(text, Align.CENTRE, border=1)
                self.ln(1)
            case Spacer(lines):
                self.style(Emphasis.NORMAL)
                self.ln(lines * self.line_mm)
            case Qr(data):
                self.qr(data)
        self.style(Emphasis.NORMAL)

    def keep_with_what_follows(self) -> None:
        """Begin a page where a bold line, which may be a heading, would stand last on a sheet."""
        if self.will_page_break(_LINES_OF_A_HEADING * self.line_mm):
            self.add_page()

    def pair(self, label: str, value: str) -> None:
        left, right = encodable(label, ENCODING), encodable(value, ENCODING)
        needed = self.get_string_width(left) + self.get_string_width(right)
        if "\n" in left + right or needed + 3 > self.epw:
            self.paragraph(label, Align.LEFT)
            self.paragraph(value, Align.RIGHT)
            return
        self.cell(self.get_string_width(left) + 1.5, self.line_mm, left)
        self.cell(0, self.line_mm, right, align="R", new_x="LMARGIN", new_y="NEXT")

    def table_block(self, table: Table) -> None:
        """Draw a table; its header is repeated on every page, unless it takes half of one.

        A row that is higher than a page becomes a row for each of its lines.
        """
        header = [encodable(cell, ENCODING) for cell in table.header]
        rows = [[encodable(cell, ENCODING) for cell in row] for row in table.rows]
        scale, widths = self._scale_and_widths(header, rows, table.emphasis)
        self.style(Emphasis.BOLD, scale)
        head_style = FontFace(size_pt=self.font_size_pt, emphasis="B")
        head_lines = self._lines(header, widths) if header else []
        self.style(table.emphasis, scale)
        row_style = FontFace(size_pt=self.font_size_pt, emphasis=self.font_style)
        line_mm = self.line_mm
        page_mm = (self.sheet.height_mm or MAX_PAGE_MM) - self.banners_end_mm - self.b_margin
        page_lines = int(page_mm / line_mm) - 1
        is_repeated = 0 < len(head_lines) < page_lines / 2
        most_lines = page_lines - len(head_lines) * is_repeated
        drawn_rows = [line for row in rows for line in self._lines(row, widths, most_lines)]
        self.style(Emphasis.NORMAL)
        with self.table(
            borders_layout=TableBordersLayout.NONE,
            col_widths=tuple(widths),
            first_row_as_headings=is_repeated,
            headings_style=head_style,
            line_height=line_mm,
            text_align=tuple(align[0].upper() for align in table.column_aligns),
            v_align=VAlign.T,
        ) as drawn:
            for line in [header] if is_repeated else head_lines:
                drawn.row(line, style=head_style)
            for line in drawn_rows:
                drawn.row(line, style=row_style)
        self.ln(1)

    def _scale_and_widths(
        self, header: list[str], rows: list[list[str]], emphasis: Emphasis
    ) -> tuple[float, list[int]]:
        """Return the scale of a table's letters, and its columns' widths in tenths of a millimetre.

        The scale is the largest at which no word is broken. If there is none, it is the largest at
        which each column has room for its widest character, and words of the header are broken
        last.
        """
        columns = [set(column) for column in zip(*rows, strict=True)]
        heads = header or [""] * len(columns)
        room = int(self.epw * 10)

        def of_heads(part: Callable[[str], Iterable[str]], scale: float) -> list[int]:
            self.style(Emphasis.BOLD, scale)
            return [self._tenths(part(head)) for head in heads]

        def of_all(part: Callable[[str], Iterable[str]], scale: float) -> list[int]:
            least = of_heads(part, scale)
            self.style(emphasis, scale)
            parts = ({each for cell in column for each in part(cell)} for column in columns)
            return [max(pair) for pair in zip(map(self._tenths, parts), least, strict=True)]

        scale, tightest = next(
            (scale, needed)
            for part in (str.split, list[str])
            for scale in _SCALES
            if sum(needed := of_all(part, scale)) <= room
        )
        least = [max(pair) for pair in zip(of_heads(str.split, scale), tightest, strict=True)]
        return scale, shared_widths(of_all(str.splitlines, scale), room, least, tightest)

    def _lines(self, cells: list[str], widths: list[int], most_lines: int = 0) -> list[list[str]]:
        """Return a row as rows of one line each, in the letters of now, if it has too many lines.

        Otherwise it is returned as it is.
        """
        if max(map(len, cells)) < most_lines:  # a line has a character at least
            return [cells]
        tenth_mm = self.epw / sum(widths)
        wrapped = [
            self._wrapped(cell, width * tenth_mm) for cell, width in zip(cells, widths, strict=True)
        ]
        if max(map(len, wrapped)) <= most_lines:
            return [cells]
        return [list(line) for line in zip_longest(*wrapped, fillvalue="")]

    def _wrapped(self, text: str, width_mm: float) -> list[str]:
        """Return the lines of a text in a cell of that width."""
        lines = self.multi_cell(width_mm, text=text, dry_run=True, output=MethodReturnValue.LINES)
        # The library keeps a line as Latin-1. Its type does not say that LINES gives a list.
        return [line.encode("latin-1").decode(ENCODING) for line in cast(list[str], lines)]

    def _tenths(self, texts: Iterable[str]) -> int:
        """Return the width of the longest text in tenths of a millimetre, with a cell's margins."""
        return int(max(map(self.get_string_width, texts), default=0) * 10) + 25

    def qr(self, data: str) -> None:
        matrix = tuple(qr.symbol(data).matrix_iter(border=4))
        side = min(self.sheet.qr_mm, self.epw)
        if self.will_page_break(side):
            self.add_page()
        module = side / len(matrix)
        left, top = self.l_margin + (self.epw - side) / 2, self.y
        for down, row in enumerate(matrix):
            for start, length in _dark_runs(row):
                self.rect(left + start * module, top + down * module, length * module, module, "F")
        self.set_y(top + side)


def _dark_runs(row: Iterable[int]) -> list[tuple[int, int]]:
    """Return the dark stretches of a row as (start, length), both in modules."""
    runs: list[tuple[int, int]] = []
    for at, dark in enumerate(row):
        if dark and runs and sum(runs[-1]) == at:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        elif dark:
            runs.append((at, 1))
    return runs
