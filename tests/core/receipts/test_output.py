"""Documents as files, and the banners on each of them."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from core.kernel.languages import LANGUAGES
from core.receipts import escpos, html, pdf, text
from core.receipts.document import Document, Line, Title
from core.receipts.output import LanguageUnknown, Output, need_language, page, render
from core.receipts.paper import Paper

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
    fragment = html.render(marked)
    for banner in BANNERS[language]:
        assert sum(banner == line.strip() for line in text.render(marked).splitlines()) == 2
        assert [wide for expected, wide, _ in paper.lines if expected.strip() == banner] == [
            True
        ] * 2
        assert len(re.findall(rf"font-size:2rem[^>]*>{banner}<", fragment)) == 2


@pytest.mark.parametrize(("simulated", "duplicate"), [(False, False), (True, False), (False, True)])
def test_banners_only_where_they_belong(simulated: bool, duplicate: bool) -> None:
    document = Document(
        language="en", blocks=(Line("x"),), simulated=simulated, duplicate=duplicate
    )
    created_at = datetime(2026, 1, 1, tzinfo=UTC)
    assert pdf.render(document, created_at=created_at, paper=Paper.A4)
    for rendered in (text.render(document), html.render(document)):
        assert ("SIMULATED TIME" in rendered) == simulated
        assert ("DUPLICATE" in rendered) == duplicate


SIGNATURES = {
    Output.PDF: b"%PDF",
    Output.ESCPOS: b"\x1b@",
    Output.HTML: b"<!doctype html>",
    Output.TXT: b" ",
}


@pytest.mark.parametrize("form", Output)
def test_a_document_is_rendered_in_every_form(document: Document, form: Output) -> None:
    created_at = datetime(2026, 1, 1, tzinfo=UTC)
    content = render(document, output=form, created_at=created_at, paper=Paper.ROLL_80)
    assert content.startswith(SIGNATURES[form])
    assert "/" in form.media_type


def test_a_page_has_the_language_and_the_title_of_its_document(document: Document) -> None:
    html = page(document)
    assert '<html lang="ca">' in html
    assert "<title>Lototrot de prova</title>" in html
    hostile = Document(language="en", blocks=(Title("</title><script>"),), simulated=False)
    assert "<script>" not in page(hostile)


def test_papers_are_in_three_languages() -> None:
    for language in LANGUAGES:
        need_language(language)
    with pytest.raises(LanguageUnknown) as refused:
        need_language("fr")
    assert refused.value.data == {"languages": ["ca", "es", "en"]}
