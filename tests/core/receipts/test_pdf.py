"""The PDF files, read back by another library."""

import io
import re
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf import PdfReader

from core.receipts import pdf, qr
from core.receipts.document import Block, Document, Line, Notice, Pair, Qr, Table, Title
from core.receipts.paper import Paper
from tests.support.running.effort import tries

CREATED = datetime(2026, 3, 1, 18, 0, 5, tzinfo=UTC)


def read(document: Document, paper: Paper) -> PdfReader:
    return PdfReader(io.BytesIO(pdf.render(document, created_at=CREATED, paper=paper)))


@pytest.mark.article("14.II.3")
@pytest.mark.parametrize("paper", Paper)
def test_every_field_is_in_the_file(
    document: Document, paper: Paper, blocks: tuple[Block, ...], words: Callable[[str], str]
) -> None:
    text = words("".join(page.extract_text() for page in read(document, paper).pages))
    for block in blocks:
        match block:
            case Title(shown) | Line(shown) | Notice(shown):
                assert words(shown) in text
            case Pair(label, value):
                assert words(label) in text and words(value) in text
            case Table(rows, header):
                for cell in (*header, *(cell for row in rows for cell in row)):
                    assert words(cell) in text


def test_a_receipt_is_one_page_of_80_mm_as_long_as_it_needs(document: Document) -> None:
    short = Document(language="ca", blocks=(Line("curt"),), simulated=False)
    heights = []
    for receipt in (short, document):
        (page,) = read(receipt, Paper.ROLL_80).pages
        assert float(page.mediabox.width) == pytest.approx(80 / 25.4 * 72, abs=0.01)
        heights.append(float(page.mediabox.height))
    assert heights[0] < 60 < 300 < heights[1]


def test_a_very_long_receipt_goes_on_over_pages_and_loses_nothing(
    words: Callable[[str], str],
) -> None:
    rows = tuple((str(number), f"Cavall{number}.") for number in range(1500))
    long = Document(language="ca", blocks=(Table(rows),), simulated=True)
    pages = [page.extract_text() for page in read(long, Paper.ROLL_80).pages]
    text = words("".join(pages))
    assert len(pages) > 1 and all(f"Cavall{number}." in text for number in range(1500))
    assert all("SIMUL" in page for page in pages)


@pytest.mark.parametrize("paper", Paper)
def test_no_text_stands_for_the_number_of_pages(paper: Paper) -> None:
    """The library has a sign for it, which the reason of an act could hold."""
    written = Document(language="en", blocks=(Line("Paid {nb} times"),), simulated=False)
    assert "Paid {nb} times" in read(written, paper).pages[0].extract_text()


def test_a_poster_is_a4_with_banners_and_numbers_on_every_page() -> None:
    rows = tuple((str(number), f"Cavall {number}") for number in range(200))
    long = Document(language="en", blocks=(Table(rows),), simulated=True, duplicate=True)
    pages = read(long, Paper.A4).pages
    assert len(pages) > 2
    for number, page in enumerate(pages, 1):
        assert float(page.mediabox.width) == pytest.approx(595.28, abs=0.01)
        text = page.extract_text()
        assert "DUPLICATE" in text and "SIMULATED TIME" in text
        assert f"{number} / {len(pages)}" in text


@pytest.mark.parametrize("paper", Paper)
def test_the_same_document_gives_the_same_bytes(document: Document, paper: Paper) -> None:
    first = pdf.render(document, created_at=CREATED, paper=paper)
    assert first == pdf.render(document, created_at=CREATED, paper=paper)
    later = CREATED.replace(second=6)
    assert first != pdf.render(document, created_at=later, paper=paper)
    metadata = PdfReader(io.BytesIO(first)).metadata
    assert metadata is not None
    assert metadata.creation_date == CREATED and metadata.title == "Lototrot de prova"


@pytest.mark.parametrize("paper", Paper)
def test_the_drawn_symbol_is_the_symbol(paper: Paper, code: str) -> None:
    only = Document(language="ca", blocks=(Qr(code),), simulated=False)
    (page,) = read(only, paper).pages
    contents = page.get_contents()
    assert contents is not None
    number = r"(-?[\d.]+)"
    matches = re.findall(rf"{number} {number} {number} {number} re f", contents.get_data().decode())
    boxes = [tuple(map(float, box)) for box in matches]
    module = min(abs(height) for *_, height in boxes)
    left, top = min(box[0] for box in boxes), max(box[1] for box in boxes)
    drawn = {
        (round((top - y) / module), round((x - left) / module) + step)
        for x, y, width, _ in boxes
        for step in range(round(width / module))
    }
    expected = {
        (down, across)
        for down, row in enumerate(qr.symbol(code).matrix)
        for across, dark in enumerate(row)
        if dark
    }
    assert drawn == expected


@settings(max_examples=tries(25), deadline=None)
@given(st.text(max_size=300), st.text(max_size=60))
def test_no_text_crashes_it(first: str, second: str) -> None:
    blocks = (Title(first), Pair(first, second), Notice(first), Table(((first, second) * 6,)))
    for paper in Paper:
        assert read(Document(language="ca", blocks=blocks, simulated=False), paper).pages


def test_a_date_without_a_zone_is_refused(document: Document) -> None:
    with pytest.raises(ValueError, match="time zone"):
        pdf.render(document, created_at=datetime(2026, 1, 1), paper=Paper.A4)
