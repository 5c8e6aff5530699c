"""Offer a document with every kind of block, hostile and very long texts, and a printer.

Tests share these as fixtures, because the folders of tests are no packages to import from.
"""

import gettext as gettext_files
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from django.conf import settings
from django.utils.translation import trans_real

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
from core.tools.catalogues import catalogues

_CODE = "1ABC-DEFG-HJKM-NPQR-STVW-XYZ0"

_BLOCKS: tuple[Block, ...] = (
    Title("Lototrot de prova"),
    Line("Hipòdrom de Son Pardo", Align.CENTRE, Emphasis.BOLD),
    Rule(),
    Pair("Establiment", "Bar Ca’n Joan & Fills <b>"),
    Pair("Import", "1.234,50 €", Emphasis.LARGE),
    Pair("Una etiqueta que ja és llarga de per si", "i un valor que tampoc no hi cabria mai"),
    Table(
        rows=(
            ("1", "Son Pardo", " ".join(str(number) for number in range(1, 32))),
            ("2", "Maó", "4"),
        ),
        header=("Cursa", "Hipòdrom", "Números"),
        aligns=(Align.RIGHT, Align.LEFT, Align.LEFT),
    ),
    Notice("Prohibit als menors de 18 anys. ¿Señor, jugáis? ¡Ïü!"),
    Spacer(2),
    Qr(_CODE),
    Line(_CODE, Align.CENTRE),
    Line("W" * 130),
    Line("primera\nsegona"),
)


@dataclass
class Paper:
    """The output of the printer: lines of (text, wide, bold), symbols, and whether it was cut."""

    lines: list[tuple[str, bool, bool]] = field(default_factory=list)
    symbols: list[tuple[str, int, bool]] = field(default_factory=list)
    commands: list[bytes] = field(default_factory=list)
    cut: bool = False

    @property
    def text(self) -> str:
        return "\n".join(text for text, _, _ in self.lines)


FIXED = {
    b"\x1b@": 0,
    b"\x1bM": 1,
    b"\x1bR": 1,
    b"\x1bt": 1,
    b"\x1ba": 1,
    b"\x1bE": 1,
    b"\x1d!": 1,
    b"\x1dV": 2,
}


def _print_out(data: bytes) -> Paper:
    """Interpret the commands as the printer's manual describes them; fail on unknown ones."""
    paper, at, line = Paper(), 0, bytearray()
    wide = bold = centred = False
    stored, module, level, model = b"", 0, 0, 0
    while at < len(data):
        assert not paper.cut, "nothing follows the cut"
        if data[at] == 10:
            paper.lines.append((line.decode("cp858"), wide, bold))
            line, at = bytearray(), at + 1
        elif data[at] not in (0x1B, 0x1D):
            assert data[at] >= 32
            line.append(data[at])
            at += 1
        elif data[at : at + 3] == b"\x1d(k":
            size = data[at + 3] + 256 * data[at + 4]
            body, at = data[at + 5 : at + 5 + size], at + 5 + size
            assert len(body) == size and body[0] == 49 and not line
            match body[1]:
                case 65:
                    model = body[2]
                case 67:
                    module = body[2]
                case 69:
                    level = body[2]
                case 80:
                    assert body[2] == 48
                    stored = body[3:]
                case 81:
                    assert (model, level, body[2]) == (50, 49, 48)
                    paper.symbols.append((stored.decode(), module, centred))
                case other:
                    raise AssertionError(other)
        else:
            command = data[at : at + 2]
            arguments = data[at + 2 : at + 2 + FIXED[command]]
            paper.commands.append(command + arguments)
            at += 2 + len(arguments)
            match command:
                case b"\x1ba":
                    centred = arguments == b"\x01"
                case b"\x1bE":
                    bold = arguments == b"\x01"
                case b"\x1d!":
                    wide = arguments == b"\x11"
                case b"\x1dV":
                    paper.cut = True
    assert not line
    return paper


@pytest.fixture(scope="session", autouse=True)
def _compiled_catalogues() -> None:
    """Compile the catalogues: banners are translated, and a fresh clone has none compiled."""
    if catalogues.compile_all(settings.BASE_DIR):
        gettext_files._translations.clear()
        trans_real._translations.clear()


@pytest.fixture(scope="session")
def code() -> str:
    return _CODE


@pytest.fixture(scope="session")
def blocks() -> tuple[Block, ...]:
    return _BLOCKS


@pytest.fixture(scope="session")
def document() -> Document:
    return Document(language="ca", blocks=_BLOCKS, simulated=False)


@pytest.fixture(scope="session")
def print_out() -> Callable[[bytes], Paper]:
    return _print_out


@pytest.fixture(scope="session")
def words() -> Callable[[str], str]:
    """Return a function that removes the blanks of a text, so that wrapping does not matter."""
    return lambda text: "".join(text.split())
