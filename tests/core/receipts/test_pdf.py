"""The PDF files, read back by another library."""

import io
import re
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf import PdfReader

from core.receipts import pdf, qr
from core.receipts.document import (
    MAX_TABLE_COLUMNS,
    Block,
    Document,
    Emphasis,
    Line,
    Notice,
    Pair,
    Qr,
    Table,
    Title,
)
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


_CELLS = st.one_of(
    st.sampled_from(["", "4", "1.234.567,89 €", "W" * 45, "Son Pardo i Maó"]),
    st.text("aW€ \n", max_size=40),
    st.integers(1, 130).map(lambda lines: "\n".join(["ab"] * lines)),
)


@st.composite
def _tables(draw: st.DrawFn) -> Table:
    columns = draw(st.integers(1, MAX_TABLE_COLUMNS))
    row = st.lists(_CELLS, min_size=columns, max_size=columns).map(tuple)
    rows = tuple(draw(st.lists(row, min_size=1, max_size=3)))
    header = draw(
        st.sampled_from([(), ("Import",) * columns, ("Verificació de l’import " * 9,) * columns])
    )
    return Table(rows, header, emphasis=draw(st.sampled_from(Emphasis)))


@settings(max_examples=tries(30), deadline=None)
@given(_tables(), st.booleans())
def test_no_table_crashes_it_or_loses_a_letter(table: Table, simulated: bool) -> None:
    """Many columns, long words and cells higher than a page are all on the paper."""
    document = Document(language="en", blocks=(table,), simulated=simulated)
    written = Counter("".join("".join((*table.header, *chain(*table.rows))).split()))
    for paper in Paper:
        text = "".join(page.extract_text() for page in read(document, paper).pages)
        assert written <= Counter(text)


def test_a_row_higher_than_a_page_goes_on_over_pages_with_its_header() -> None:
    tall = Table(
        (("Maó", "\n".join(map(str, range(1000, 1120)))), ("x", "1.234,50 €")), ("On", "Import")
    )
    pages = read(Document(language="ca", blocks=(tall,), simulated=False), Paper.A4).pages
    texts = [page.extract_text() for page in pages]
    assert len(texts) == 3 and all("Import" in text for text in texts)
    text = "".join(texts)
    assert all(str(number) in text for number in range(1000, 1120)) and "1.234,50 €" in text


@pytest.mark.parametrize("lines", range(40, 52))
def test_no_heading_stands_last_on_a_sheet(lines: int) -> None:
    heading = Line("Hipòdrom · 2", emphasis=Emphasis.BOLD)
    table = Table((("1", "Uno de Mayo"), ("2", "Due")), ("Número", "Cavall"))
    blocks = (*[Line("x")] * lines, heading, Line("16:30"), table)
    pages = read(Document(language="ca", blocks=blocks, simulated=False), Paper.A4).pages
    (page,) = [page.extract_text() for page in pages if "Hipòdrom" in page.extract_text()]
    assert "16:30" in page and "Uno de Mayo" in page


def test_letters_of_a_table_shrink_before_an_amount_is_broken() -> None:
    """An amount over two lines can be read as two amounts."""
    amounts = Table((("1.234,50 €".replace(" ", ""),) * 5,))
    (page,) = read(Document(language="ca", blocks=(amounts,), simulated=False), Paper.ROLL_80).pages
    assert page.extract_text().count("1.234,50€") == 5


def test_a_date_without_a_zone_is_refused(document: Document) -> None:
    with pytest.raises(ValueError, match="time zone"):
        pdf.render(document, created_at=datetime(2026, 1, 1), paper=Paper.A4)
