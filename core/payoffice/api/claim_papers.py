"""Serve the office's papers: status slips, receipts, documents for prizes in kind."""

import datetime
import uuid

from django.http import HttpResponse
from rest_framework.request import Request

from core.api.papers import LanguageQuery, PaperView
from core.api.schema import operation
from core.api.views import BareTerminalView, StaffView, TerminalView
from core.payoffice import powers, selectors
from core.payoffice.api.claim_shapes import CodeIn
from core.payoffice.api.claims import CODE_PROBLEMS
from core.payoffice.api.office_shapes import DocumentIn
from core.payoffice.services import checking, deposits, matching, slips
from core.premises.access import BareTerminal, TerminalCannot
from core.receipts.document import Document
from core.receipts.output import Output, render
from core.receipts.paper import Paper
from core.staff.actor import StaffActor


class RollView(PaperView):
    """Serve papers on the printer's roll."""

    def printed(self, document: Document, created_at: datetime.datetime, form: str) -> HttpResponse:
        """Return the document in that form."""
        content = render(document, output=Output(form), created_at=created_at, paper=Paper.ROLL_80)
        return self.paper(content, form)


class StatusSlip(RollView, TerminalView):
    @operation(
        "Print the state of a presented document for the player",
        body=CodeIn,
        query=LanguageQuery,
        problems=(*CODE_PROBLEMS, TerminalCannot),
        example={"code": "1ABC-…"},
    )
    def post(self, request: Request, form: str) -> HttpResponse:
        language = self.language()
        code = self.read_body(CodeIn).code
        checked = checking.document_check(at=self.terminal, code=code)
        slip = slips.status_slip(checked, language)
        return self.printed(slip, checked.payable.issued_at, form)


class OfficeSlip(RollView, StaffView):
    @operation(
        "Print the state of a presented document for the player",
        body=DocumentIn,
        query=LanguageQuery,
        problems=CODE_PROBLEMS,
        example={"code": "1ABC-…"},
        power=powers.CHECK,
    )
    def post(self, request: Request, form: str) -> HttpResponse:
        language = self.language()
        checked = checking.desk_state(by=self.by, **self.read(DocumentIn)).checked
        slip = slips.status_slip(checked, language)
        return self.printed(slip, checked.payable.issued_at, form)


class ReceiptView(RollView):
    """Serve a receipt to the premises that gave it, or to the office."""

    asker: StaffActor | BareTerminal


class PaymentReceipt(ReceiptView):
    @operation(
        "Print the receipt of a payment",
        query=LanguageQuery,
        problems=(selectors.PaymentUnknown,),
        power=powers.READ,
    )
    def get(self, request: Request, ident: uuid.UUID, form: str) -> HttpResponse:
        language = self.language()
        payment = selectors.payment(at=self.asker, ident=ident)
        receipt = slips.payment_receipt(payment, language)
        return self.printed(receipt, payment.paid_at, form)


class PresentationReceipt(ReceiptView):
    @operation(
        "Print the receipt of a presentation",
        query=LanguageQuery,
        problems=(selectors.PresentationUnknown,),
        power=powers.READ,
    )
    def get(self, request: Request, ident: uuid.UUID, form: str) -> HttpResponse:
        language = self.language()
        presentation = selectors.presentation(at=self.asker, ident=ident)
        receipt = slips.presentation_receipt(presentation, language)
        return self.printed(receipt, presentation.presented_at, form)


class DepositReceipt(ReceiptView):
    @operation(
        "Print the receipt of a deposit",
        query=LanguageQuery,
        problems=(matching.DepositUnknown,),
        power=powers.TAKE_DEPOSIT,
    )
    def get(self, request: Request, ident: uuid.UUID, form: str) -> HttpResponse:
        language = self.language()
        deposit = deposits.deposit_seen(at=self.asker, ident=ident)
        receipt = slips.deposit_receipt(deposit, language)
        return self.printed(receipt, deposit.deposited_at, form)


class AtTerminal(BareTerminalView):
    """Ask as a terminal, for the receipts of its premises."""

    asker: StaffActor | BareTerminal

    def identify(self, request: Request) -> dict[str, int]:
        ids = super().identify(request)
        self.asker = self.terminal
        return ids


class AtOffice(StaffView):
    """Ask as a member of staff, for the receipts of all premises."""

    asker: StaffActor | BareTerminal

    def identify(self, request: Request) -> dict[str, int]:
        ids = super().identify(request)
        self.asker = self.by
        return ids


class TerminalPaymentReceipt(PaymentReceipt, AtTerminal):
    """Serve the receipt of a payment to the terminal's premises."""


class TerminalPresentationReceipt(PresentationReceipt, AtTerminal):
    """Serve the receipt of a presentation to the terminal's premises."""


class TerminalDepositReceipt(DepositReceipt, AtTerminal):
    """Serve the receipt of a deposit to the terminal's premises."""


class OfficePaymentReceipt(PaymentReceipt, AtOffice):
    """Serve the receipt of a payment to the office."""


class OfficePresentationReceipt(PresentationReceipt, AtOffice):
    """Serve the receipt of a presentation to the office."""


class OfficeDepositReceipt(DepositReceipt, AtOffice):
    """Serve the receipt of a deposit to the office."""


class ExchangeDocument(RollView, StaffView):
    @operation(
        "Print the document that entitles to the thing (15.III.6.5)",
        query=LanguageQuery,
        problems=(selectors.ExchangeUnknown,),
        power=powers.READ,
    )
    def get(self, request: Request, ident: uuid.UUID, form: str) -> HttpResponse:
        language = self.language()
        exchange = selectors.exchange(by=self.by, ident=ident)
        document = slips.exchange_document(exchange, language)
        return self.printed(document, exchange.exchanged_at, form)
