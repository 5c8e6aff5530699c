"""The HTML of a screen: every field, the drawn symbol, and no markup from texts."""

import re
from collections.abc import Callable
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.receipts import html, qr
from core.receipts.document import Align, Block, Document, Line, Notice, Pair, Table, Title


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
def test_every_field_is_in_the_page(
    document: Document, blocks: tuple[Block, ...], words: Callable[[str], str]
) -> None:
    page = words("".join(Reader(html.render(document)).text))
    for block in blocks:
        match block:
            case Title(shown) | Line(shown) | Notice(shown):
                assert words(shown) in page
            case Pair(label, value):
                assert words(label) in page and words(value) in page
            case Table(rows, header):
                for cell in (*header, *(cell for row in rows for cell in row)):
                    assert words(cell) in page


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
def test_no_text_becomes_markup(text: str) -> None:
    blocks = (Title(text), Line(text), Pair(text, text), Notice(text), Table(((text,),)))
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


def test_an_amount_of_a_table_is_not_broken_over_lines() -> None:
    table = Table((("Efectiu", "29.500,00 €"),), ("Com", "Import"), (Align.LEFT, Align.RIGHT))
    page = html.render(Document(language="ca", blocks=(table,), simulated=False))
    cells = re.findall(r'<(th|td) style="[^"]*white-space:(\S+)">([^<]*)', page)
    assert cells == [
        ("th", "pre-line", "Com"),
        ("th", "pre-line", "Import"),
        ("td", "pre-line", "Efectiu"),
        ("td", "nowrap", "29.500,00 €"),
    ]
