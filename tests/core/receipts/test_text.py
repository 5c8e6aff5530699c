"""The text of a console: every field, in lines of 48 columns."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.receipts import text
from core.receipts.document import Block, Document, Line, Notice, Pair, Qr, Table, Title


@pytest.mark.article("14.II.3")
def test_every_field_is_in_the_text(
    document: Document, blocks: tuple[Block, ...], code: str, words: Callable[[str], str]
) -> None:
    lines = text.render(document)
    assert all(len(line) <= 48 for line in lines.splitlines())
    for block in blocks:
        match block:
            case Title(shown) | Line(shown) | Notice(shown):
                assert words(shown) in words(lines).replace("|", "")
            case Pair(label, value):
                assert words(label) in words(lines) and words(value) in words(lines)
            case Table(rows, header):
                for cell in (*header, *(cell for row in rows for cell in row)):
                    assert all(word in lines for word in cell.split())
    assert f"[QR {code}]" in lines


@given(st.text(max_size=300))
def test_no_line_is_wider_than_48_columns(content: str) -> None:
    blocks = (Title(content), Pair(content, content), Notice(content), Qr("x" * 130))
    lines = text.render(Document(language="es", blocks=blocks, simulated=False)).split("\n")
    assert all(len(line) <= 48 for line in lines)
    assert lines[-1] == ""
