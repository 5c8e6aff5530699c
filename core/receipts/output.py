"""Render documents as files, in the form that a device takes."""

import datetime
import enum

from django.utils.html import format_html

from core.kernel.errors import Invalid
from core.kernel.languages import LANGUAGES
from core.receipts import escpos, html, text
from core.receipts.document import Document
from core.receipts.paper import Paper


class LanguageUnknown(Invalid):
    code = "language_unknown"
    message = "Papers are printed in ca, es or en."


class Output(enum.StrEnum):
    """The forms a document is rendered to; the value is the ending of its address."""

    PDF = "pdf"
    ESCPOS = "escpos"
    HTML = "html"
    TXT = "txt"

    @property
    def media_type(self) -> str:
        return _MEDIA_TYPES[self]


_MEDIA_TYPES = {
    Output.PDF: "application/pdf",
    Output.ESCPOS: "application/octet-stream",
    Output.HTML: "text/html; charset=utf-8",
    Output.TXT: "text/plain; charset=utf-8",
}


def render(
    document: Document, *, output: Output, created_at: datetime.datetime, paper: Paper
) -> bytes:
    """Return the document as a file."""
    match output:
        case Output.PDF:
            # Its library takes a tenth of the start of a process, and few processes need it.
            from core.receipts import pdf

            return pdf.render(document, created_at=created_at, paper=paper)
        case Output.ESCPOS:
            return escpos.render(document)
        case Output.HTML:
            return page(document).encode()
        case Output.TXT:
            return text.render(document).encode()


def page(document: Document) -> str:
    """Return the document as a complete HTML page."""
    return format_html(
        '<!doctype html><html lang="{}"><head><meta charset="utf-8"><title>{}</title></head>'
        "<body>{}</body></html>",
        document.language,
        document.title,
        html.render(document),
    )


def need_language(language: str) -> None:
    """Raise LanguageUnknown unless papers are printed in that language."""
    if language not in LANGUAGES:
        raise LanguageUnknown(languages=list(LANGUAGES))
