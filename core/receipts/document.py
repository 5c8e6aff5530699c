"""Describe what a ticket, voucher, slip or poster shows, once for all outputs.

A `Document` is a language and a sequence of blocks; `escpos`, `pdf`, `html` and `text` render it.
All texts arrive translated into the document's language. A renderer wraps long texts and leaves
nothing out: a ticket that lacks a field is not valid (14.II.3).
"""

from dataclasses import dataclass
from enum import StrEnum

from django.utils.translation import get_language, gettext, override

from core.kernel.languages import LANGUAGES


def present_language() -> str:
    """Return the language of the present request or task, Catalan where it has none of ours."""
    language = (get_language() or "").partition("-")[0]
    return language if language in LANGUAGES else LANGUAGES[0]


MAX_TABLE_COLUMNS = 12


class Align(StrEnum):
    """The alignment of a text within its line or column."""

    LEFT = "left"
    CENTRE = "center"
    RIGHT = "right"


class Emphasis(StrEnum):
    """The emphasis of a text; LARGE is bold and of double size."""

    NORMAL = "normal"
    BOLD = "bold"
    LARGE = "large"


@dataclass(frozen=True, slots=True)
class Title:
    """The heading, large and centred."""

    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """A paragraph; newlines in it are kept."""

    text: str
    align: Align = Align.LEFT
    emphasis: Emphasis = Emphasis.NORMAL


@dataclass(frozen=True, slots=True)
class Pair:
    """A label at the left and its value at the right, or on the next line if both do not fit."""

    label: str
    value: str
    emphasis: Emphasis = Emphasis.NORMAL


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells, with an optional header row and the alignment of each column.

    `emphasis` is that of the rows. No word of the header is broken as long as the paper has room.
    """

    rows: tuple[tuple[str, ...], ...]
    header: tuple[str, ...] = ()
    aligns: tuple[Align, ...] = ()
    emphasis: Emphasis = Emphasis.NORMAL

    def __post_init__(self) -> None:
        lengths = {len(row) for row in (*self.rows, self.header, self.aligns) if row}
        if len(lengths) != 1 or not self.rows or not all(self.rows):
            raise ValueError("a table has rows, all of the length of its header")
        if self.columns > MAX_TABLE_COLUMNS:
            raise ValueError(f"a table has at most {MAX_TABLE_COLUMNS} columns")

    @property
    def columns(self) -> int:
        return len(self.rows[0])

    @property
    def column_aligns(self) -> tuple[Align, ...]:
        return self.aligns or (Align.LEFT,) * self.columns


@dataclass(frozen=True, slots=True)
class Rule:
    """A line across the paper."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A text in a box, which the reader must not miss."""

    text: str


@dataclass(frozen=True, slots=True)
class Spacer:
    """Blank lines."""

    lines: int = 1


@dataclass(frozen=True, slots=True)
class Qr:
    """A QR symbol of `data`. A printed code is also shown in letters, by a `Line` beside it."""

    data: str

    def __post_init__(self) -> None:
        if not self.data:
            raise ValueError("a QR symbol needs data")


Block = Title | Line | Pair | Table | Rule | Notice | Spacer | Qr


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A paper: its language, its blocks and its banners.

    `simulated` has no default, so that every document says whether its time is simulated.
    """

    language: str
    blocks: tuple[Block, ...]
    simulated: bool
    duplicate: bool = False

    def __post_init__(self) -> None:
        if self.language not in LANGUAGES:
            raise ValueError(f"a document is in one of {', '.join(LANGUAGES)}")

    @property
    def banners(self) -> tuple[str, ...]:
        """Return the large texts of every output of this document, in its language."""
        with override(self.language):
            return tuple(
                text
                for applies, text in (
                    (self.duplicate, gettext("DUPLICATE")),
                    (self.simulated, gettext("SIMULATED TIME")),
                )
                if applies
            )

    @property
    def title(self) -> str:
        """Return the text of the first title; an empty text if there is none."""
        return next((block.text for block in self.blocks if isinstance(block, Title)), "")
