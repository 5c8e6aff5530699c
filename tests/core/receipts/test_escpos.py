"""The printer's bytes, read back by a small printer of our own (`print_out`)."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.receipts import escpos
from core.receipts.document import Align, Block, Document, Line, Notice, Pair, Qr, Table, Title


@pytest.mark.article("14.II.3")
def test_every_field_is_on_the_paper(
    document: Document,
    blocks: tuple[Block, ...],
    code: str,
    words: Callable[[str], str],
    print_out: Callable[[bytes], Any],
) -> None:
    paper = print_out(escpos.render(document))
    printed = words(paper.text)
    for block in blocks:
        match block:
            case Title(text) | Line(text):
                assert words(text) in printed
            case Pair(label, value):
                assert words(label).replace("’", "'") in printed
                assert words(value).replace("’", "'") in printed
            case Table(rows, header):
                for cell in (*header, *(cell for row in rows for cell in row)):
                    assert all(word in paper.text for word in cell.split())
            case Notice(text):
                assert words(text) in printed.replace("|", "")
    assert [symbol[0] for symbol in paper.symbols] == [code]
    assert paper.cut


def test_no_line_is_wider_than_the_paper(
    document: Document, print_out: Callable[[bytes], Any]
) -> None:
    paper = print_out(escpos.render(document))
    assert all(len(text) <= (24 if wide else 48) for text, wide, _ in paper.lines)
    assert any(wide for _, wide, _ in paper.lines)


def test_the_printer_is_reset_to_the_euro_code_page(
    document: Document, print_out: Callable[[bytes], Any]
) -> None:
    data = escpos.render(document)
    assert print_out(data).commands[:4] == [b"\x1b@", b"\x1bM\x00", b"\x1bR\x00", b"\x1bt\x13"]
    assert b"1.234,50 \xd5" in data
    assert "Hipòdrom".encode("cp850") in data


def test_the_symbol_fits_the_paper_and_is_centred(
    document: Document, print_out: Callable[[bytes], Any]
) -> None:
    ((_, module, centred),) = print_out(escpos.render(document)).symbols
    assert centred and module == 8
    long = Document(language="ca", blocks=(Qr("x" * 1500),), simulated=False)
    ((data, module, _),) = print_out(escpos.render(long)).symbols
    assert data == "x" * 1500 and 1 <= module <= 4


@given(first=st.text(max_size=200), second=st.text(max_size=200))
def test_no_text_becomes_a_command(
    first: str, second: str, print_out: Callable[[bytes], Any]
) -> None:
    blocks: tuple[Block, ...] = (
        Title(first),
        Line(first, Align.RIGHT),
        Pair(first, second),
        Notice(second),
        Table(((first, second),)),
    )
    paper = print_out(escpos.render(Document(language="es", blocks=blocks, simulated=False)))
    plain = print_out(escpos.render(Document(language="es", blocks=(), simulated=False)))
    styles = (b"\x1bE", b"\x1d!")
    others = [command for command in paper.commands if command[:2] not in styles]
    assert others == plain.commands and not paper.symbols
