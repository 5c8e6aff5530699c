"""Documents as files: a ticket's slip and the poster, in the form that a device takes."""

import datetime
import enum
import uuid

from django.utils.html import format_html

from core.database import clock
from core.kernel.errors import Conflict, Invalid
from core.premises.access import BareTerminal
from core.receipts import escpos, html, pdf, text
from core.receipts.document import LANGUAGES, Document
from lototrot.models.tickets import PrintConfirmation, Void
from lototrot.services.prints import TicketNotPrintable
from lototrot.services.selling import ContestClosed, Sold, sold_again, ticket_of_terminal
from lototrot.services.slips import ticket_document


class SlipPrinted(Conflict):
    code = "slip_printed"
    message = "The original is confirmed as printed; a further copy is a reprint [E5]."


class LanguageUnknown(Invalid):
    code = "language_unknown"
    message = "Papers are printed in ca, es or en."


class Output(enum.StrEnum):
    """What a document is rendered to; the value is the ending of its address."""

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


def slip_original(*, by: BareTerminal, ident: uuid.UUID) -> Sold:
    """The ticket whose original is still to be printed.

    Raises TicketUnknown, TicketNotPrintable once voided, SlipPrinted once the paper is confirmed,
    ContestClosed from the closing on: a code is not given again (*Codes*).
    """
    ticket = ticket_of_terminal(terminal=by, ident=ident)
    if Void.objects.filter(ticket=ticket).exists():
        raise TicketNotPrintable
    if PrintConfirmation.objects.filter(ticket=ticket).exists():
        raise SlipPrinted
    sold = sold_again(ticket)
    if sold.code is None:
        raise ContestClosed
    return sold


def slip_render(sold: Sold, *, output: Output, language: str, copy: int = 0) -> bytes:
    """The ticket on 80 mm paper. `copy` is 0 for the original, else the duplicate's number."""
    need_language(language)
    document = ticket_document(sold, language=language, simulated=clock.is_simulated(), copy=copy)
    return render(document, output=output, created_at=sold.sold_at, paper=pdf.Paper.ROLL_80)


def render(
    document: Document, *, output: Output, created_at: datetime.datetime, paper: pdf.Paper
) -> bytes:
    """The document as a file."""
    match output:
        case Output.PDF:
            return pdf.render(document, created_at=created_at, paper=paper)
        case Output.ESCPOS:
            return escpos.render(document)
        case Output.HTML:
            return page(document).encode()
        case Output.TXT:
            return text.render(document).encode()


def page(document: Document) -> str:
    """The document as an HTML page of its own."""
    return format_html(
        '<!doctype html><html lang="{}"><head><meta charset="utf-8"><title>{}</title></head>'
        "<body>{}</body></html>",
        document.language,
        document.title,
        html.render(document),
    )


def need_language(language: str) -> None:
    """Raises LanguageUnknown."""
    if language not in LANGUAGES:
        raise LanguageUnknown(languages=list(LANGUAGES))
