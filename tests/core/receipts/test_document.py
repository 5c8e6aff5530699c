"""The model and the texts it lets through."""

import pytest
from django.utils.translation import override
from hypothesis import given
from hypothesis import strategies as st

from core.receipts.charset import clean, encodable
from core.receipts.document import Align, Document, Qr, Table, present_language


def test_a_document_speaks_one_of_the_three_languages() -> None:
    with pytest.raises(ValueError, match="ca, es, en"):
        Document(language="fr", blocks=(), simulated=False)


@pytest.mark.parametrize(
    ("rows", "header", "aligns"),
    [
        ((), ("a",), ()),
        (((),), (), ()),
        ((("a", "b"), ("c",)), (), ()),
        ((("a", "b"),), ("x",), ()),
        ((("a", "b"),), (), (Align.LEFT,)),
        ((("a",) * 13,), (), ()),
    ],
)
def test_a_table_that_would_lose_a_cell_is_refused(
    rows: tuple[tuple[str, ...], ...], header: tuple[str, ...], aligns: tuple[Align, ...]
) -> None:
    with pytest.raises(ValueError, match="table"):
        Table(rows, header, aligns)


def test_a_symbol_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="QR"):
        Qr("")


@given(st.text())
def test_no_text_can_drive_a_printer_or_turn_the_line(text: str) -> None:
    assert all(c.isprintable() or c == "\n" for c in clean(text))
    for encoding in ("cp858", "cp1252"):
        encoded = encodable(text, encoding).encode(encoding)
        assert not {*encoded} & ({*range(32)} - {10} | {127})


def test_the_nearest_character_stands_in() -> None:
    assert encodable("Łódź “Ça” – a…", "cp858") == 'Lódz "Ça" - a...'
    assert encodable("≤ 5, ≥ 3, 2→4", "cp1252") == "<= 5, >= 3, 2->4"
    assert encodable("l\u2019e\u0300 5 €", "cp858") == "l'è 5 €"
    assert encodable("日本", "cp1252") == "??"
    assert clean("a\u202eb\x1b@\u00a0c") == "ab @ c"


LETTERS = "àèéíïòóúüçñÀÈÉÍÏÒÓÚÜÇÑ·áÁ¿¡€ªº«»"


def test_the_three_languages_pass_unchanged() -> None:
    assert encodable(LETTERS, "cp858") == encodable(LETTERS, "cp1252") == LETTERS


@pytest.mark.parametrize(
    ("active", "language"), [("es", "es"), ("en-gb", "en"), ("fr", "ca"), (None, "ca")]
)
def test_the_present_language_is_one_of_ours(active: str | None, language: str) -> None:
    with override(active):
        assert present_language() == language
