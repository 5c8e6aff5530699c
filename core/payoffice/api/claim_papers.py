"""The office's papers over the API: status slips, receipts, documents for prizes in kind."""

import uuid
from collections.abc import Callable
from typing import Any, ClassVar

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request

from core.api.papers import LanguageQuery, language_of, paper
from core.api.schema import operation
from core.api.views import BareTerminalView, StaffView, TerminalView
from core.payoffice import selectors
from core.payoffice.api.claims import CODE_PROBLEMS, CodeIn
from core.payoffice.api.office import DocumentIn
from core.payoffice.services import checking, deposits, slips
from core.premises.access import TerminalCannot
from core.receipts.document import Document
from core.receipts.output import Output, render
from core.receipts.pdf import Paper


def printed(document: Document, created_at: Any, output: Output) -> HttpResponse:
    """A paper on the printer's roll."""
    content = render(document, output=output, created_at=created_at, paper=Paper.ROLL_80)
    return paper(content, output)


def slip_view(output: Output) -> type[TerminalView]:
    """The view of a status slip in one form."""

    class StatusSlip(TerminalView):
        @operation(
            "The state of a presented document, on paper for the player",
            body=CodeIn,
            answer=OpenApiTypes.BINARY,
            media_type=output.media_type.partition(";")[0],
            query=LanguageQuery,
            problems=(*CODE_PROBLEMS, TerminalCannot),
            example={"code": "1ABC-…"},
        )
        def post(self, request: Request) -> HttpResponse:
            language = language_of(self.query(LanguageQuery))
            code = self.read(CodeIn)["code"]
            checked = checking.document_check(at=self.terminal, code=code)
            slip = slips.status_slip(checked, language)
            return printed(slip, checked.payable.issued_at, output)

    return StatusSlip


Receipt = tuple[Document, Any]


def _payment(at: Any, ident: uuid.UUID, language: str) -> Receipt:
    found = selectors.payment(at=at, ident=ident)
    return slips.payment_receipt(found, language), found.paid_at


def _presentation(at: Any, ident: uuid.UUID, language: str) -> Receipt:
    found = selectors.presentation(at=at, ident=ident)
    return slips.presentation_receipt(found, language), found.presented_at


def _deposit(at: Any, ident: uuid.UUID, language: str) -> Receipt:
    found = deposits.deposit_seen(at=at, ident=ident)
    return slips.deposit_receipt(found, language), found.deposited_at


RECEIPTS: dict[str, tuple[Callable[[Any, uuid.UUID, str], Receipt], type[Exception]]] = {
    "payments": (_payment, selectors.PaymentUnknown),
    "presentations": (_presentation, selectors.PresentationUnknown),
    "deposits": (_deposit, deposits.DepositUnknown),
}


def receipt_view(of: str, output: Output) -> type[BareTerminalView]:
    """The view of one kind of receipt in one form, for the premises that gave it."""
    make, unknown = RECEIPTS[of]

    class ReceiptPaper(BareTerminalView):
        @operation(
            f"The receipt: {of}",
            answer=OpenApiTypes.BINARY,
            media_type=output.media_type.partition(";")[0],
            query=LanguageQuery,
            problems=(unknown,),
        )
        def get(self, request: Request, ident: uuid.UUID) -> HttpResponse:
            language = language_of(self.query(LanguageQuery))
            document, made_at = make(self.terminal, ident, language)
            return printed(document, made_at, output)

    return ReceiptPaper


def office_slip_view(output: Output) -> type[StaffView]:
    """The view of a status slip in one form."""

    class OfficeSlip(StaffView):
        form: ClassVar[Output] = output

        @operation(
            "The state of a presented document, on paper for the player",
            body=DocumentIn,
            answer=OpenApiTypes.BINARY,
            media_type=output.media_type.partition(";")[0],
            query=LanguageQuery,
            problems=CODE_PROBLEMS,
            example={"code": "1ABC-…"},
        )
        def post(self, request: Request) -> HttpResponse:
            language = language_of(self.query(LanguageQuery))
            checked = checking.desk_state(by=self.by, **self.read(DocumentIn)).checked
            slip = slips.status_slip(checked, language)
            return printed(slip, checked.payable.issued_at, output)

    return OfficeSlip


def office_receipt_view(of: str, output: Output) -> type[StaffView]:
    """The view of one kind of receipt in one form."""
    make, unknown = RECEIPTS[of]

    class OfficeReceipt(StaffView):
        @operation(
            f"The receipt: {of}",
            answer=OpenApiTypes.BINARY,
            media_type=output.media_type.partition(";")[0],
            query=LanguageQuery,
            problems=(unknown,),
        )
        def get(self, request: Request, ident: uuid.UUID) -> HttpResponse:
            language = language_of(self.query(LanguageQuery))
            document, made_at = make(self.by, ident, language)
            return printed(document, made_at, output)

    return OfficeReceipt


def exchange_view(output: Output) -> type[StaffView]:
    """The view of the document that entitles to a thing, in one form."""

    class ExchangeDocument(StaffView):
        @operation(
            "The document that entitles to the thing (15.III.6.5)",
            answer=OpenApiTypes.BINARY,
            media_type=output.media_type.partition(";")[0],
            query=LanguageQuery,
            problems=(selectors.ExchangeUnknown,),
        )
        def get(self, request: Request, ident: uuid.UUID) -> HttpResponse:
            language = language_of(self.query(LanguageQuery))
            found = selectors.exchange(by=self.by, ident=ident)
            document = slips.exchange_document(found, language)
            return printed(document, found.exchanged_at, output)

    return ExchangeDocument
