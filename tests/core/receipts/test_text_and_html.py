"""The console's text, the screen's HTML, and the banners on every output."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.receipts import escpos, html, pdf, qr, text
from core.receipts.document import Block, Document, Line, Notice, Pair, Table, Title


class Reader(HTMLParser):
    """Collects the text, the tags and the paths of drawings."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.text: list[str] = []
        self.tags: list[str] = []
        self.paths: list[str] = []
        self.feed(source)
        self.close()

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.paths += [value or "" for name, value in attrs if name == "d"]


@pytest.mark.article("14.II.3")
def test_every_field_is_in_the_text_and_in_the_page(
    document: Document, blocks: tuple[Block, ...], code: str, words: Callable[[str], str]
) -> None:
    lines = text.render(document)
    page = words("".join(Reader(html.render(document)).text))
    assert all(len(line) <= 48 for line in lines.splitlines())
    for block in blocks:
        match block:
            case Title(shown) | Line(shown) | Notice(shown):
                assert words(shown) in words(lines).replace("|", "") and words(shown) in page
            case Pair(label, value):
                assert words(label) in words(lines) and words(value) in words(lines)
                assert words(label) in page and words(value) in page
            case Table(rows, header):
                for cell in (*header, *(cell for row in rows for cell in row)):
                    assert all(word in lines for word in cell.split())
                    assert words(cell) in page
    assert f"[QR {code}]" in lines


def test_the_page_draws_the_symbol(document: Document, code: str) -> None:
    """The path is a pen: M moves, m moves relatively, h draws a row of modules."""
    (path,) = [path for path in Reader(html.render(document)).paths if "h" in path and "m" in path]
    path = path.replace("h", " h").replace("m", " m").replace("M", " M")
    across, down, dark = 0.0, 0.0, set()
    for command, numbers in re.findall(r"([Mmh])([-\d. ]+)", path):
        values = [float(number) for number in numbers.split()]
        if command == "M":
            across, down = values
        elif command == "m":
            across, down = across + values[0], down + values[1]
        else:
            dark |= {(int(down), int(across) + step) for step in range(int(values[0]))}
            across += values[0]
    expected = {
        (row + 4, column + 4)
        for row, modules in enumerate(qr.symbol(code).matrix)
        for column, module in enumerate(modules)
        if module
    }
    light_background = {spot for spot in dark if spot not in expected}
    assert expected <= dark and not light_background


@given(st.text())
def test_no_text_becomes_markup(shown: str) -> None:
    blocks = (Title(shown), Line(shown), Pair(shown, shown), Notice(shown), Table(((shown,),)))
    reader = Reader(html.render(Document(language="es", blocks=blocks, simulated=False)))
    plain = Reader(
        html.render(
            Document(
                language="es",
                blocks=(Title(""), Line(""), Pair("", ""), Notice(""), Table((("",),))),
                simulated=False,
            )
        )
    )
    assert reader.tags == plain.tags
    assert "<script>" not in html.render(
        Document(language="es", blocks=(Line("<script>"),), simulated=False)
    )


BANNERS = {
    "ca": ("DUPLICAT", "TEMPS SIMULAT"),
    "es": ("DUPLICADO", "TIEMPO SIMULADO"),
    "en": ("DUPLICATE", "SIMULATED TIME"),
}


@pytest.mark.parametrize("language", BANNERS)
def test_banners_are_large_on_every_output(
    language: str, print_out: Callable[[bytes], Any]
) -> None:
    marked = Document(language=language, blocks=(Line("x"),), simulated=True, duplicate=True)
    assert marked.banners == BANNERS[language]
    paper = print_out(escpos.render(marked))
    page = html.render(marked)
    for banner in BANNERS[language]:
        assert sum(banner == line.strip() for line in text.render(marked).splitlines()) == 2
        assert [wide for shown, wide, _ in paper.lines if shown.strip() == banner] == [True] * 2
        assert len(re.findall(rf"font-size:2rem[^>]*>{banner}<", page)) == 2


@pytest.mark.parametrize(("simulated", "duplicate"), [(False, False), (True, False), (False, True)])
def test_banners_only_where_they_belong(simulated: bool, duplicate: bool) -> None:
    document = Document(
        language="en", blocks=(Line("x"),), simulated=simulated, duplicate=duplicate
    )
    created_at = datetime(2026, 1, 1, tzinfo=UTC)
    assert pdf.render(document, created_at=created_at, paper=pdf.Paper.A4)
    for rendered in (text.render(document), html.render(document)):
        assert ("SIMULATED TIME" in rendered) == simulated
        assert ("DUPLICATE" in rendered) == duplicate
