"""Show the cheques of the prize office in the admin, and what became of their losses."""

from typing import Any

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.translation import gettext_lazy as _

from core.admin_support import signed_on
from core.admin_support.columns import NOTHING, money
from core.admin_support.readonly import ReadOnlyInline
from core.api.papers import as_file
from core.kernel.errors import DomainError
from core.payoffice.admin import acts as office
from core.payoffice.admin import losses
from core.payoffice.admin.pages import Register
from core.payoffice.models import Cheque, ChequeRecovery, ChequeWriteOff, VoidedChequePayment
from core.payoffice.services import cheques, slips
from core.receipts.document import present_language
from core.receipts.output import Output, render
from core.receipts.paper import Paper


class _BankPayments(ReadOnlyInline):
    model = VoidedChequePayment
    shown = (
        "presented_on",
        "amount_cents",
        "outcome",
        "reason",
        "recorded_at",
        "proposal",
        "reversed_at",
    )


class _Recoveries(ReadOnlyInline):
    model = ChequeRecovery
    shown = (
        "credited_on",
        "amount_cents",
        "reference",
        "returned_by",
        "recorded_at",
        "proposal",
        "reversed_at",
    )


class _WriteOffs(ReadOnlyInline):
    model = ChequeWriteOff
    shown = ("recorded_at", "amount_cents", "reason", "proposal", "reversed_at")


@admin.register(Cheque)
class ChequeAdmin(Register):
    quick = ("number",)
    asks = ("issued_at", "amount_cents")
    summed = ("amount_cents",)
    columns = ("number", "amount_cents", "state", "issued_at", "presented_on", "payment")
    shown = (
        "number",
        "paper",
        "amount_cents",
        "state",
        "issued_at",
        "payment",
        "payee",
        "replaces",
        "reissue",
        "voiding",
        "void_reason",
        "presented_on",
        "reconciled_at",
        "reconciled_by",
        "still_lost",
    )
    list_filter = ("state", losses.LossFilter)
    inlines = (_BankPayments, _Recoveries, _WriteOffs)
    acts = (
        office.VOID,
        office.REISSUE,
        office.RECONCILE,
        losses.BANK_PAID,
        losses.GIVEN_BACK,
        losses.WRITE_OFF,
    )

    @admin.display(description=_("still lost"))
    def still_lost(self, row: Cheque) -> str:
        return money(row.still_lost_cents) if row.bank_payment else NOTHING

    @admin.display(description=_("as a file"))
    def paper(self, row: Cheque) -> Any:
        url = reverse("admin:payoffice_cheque_pdf", args=[row.number])
        return format_html('<a class="text-link" href="{}">PDF</a>', url)

    def get_urls(self) -> list[URLPattern]:
        guarded = self.admin_site.admin_view
        pdf = path("<int:number>.pdf", guarded(self._pdf), name="payoffice_cheque_pdf")
        return [pdf, *super().get_urls()]

    def _pdf(self, request: HttpRequest, number: int) -> HttpResponse:
        try:
            cheque = cheques.cheque_printed(by=signed_on.actor(request), number=number)
            document = slips.cheque_document(cheque, present_language())
        except DomainError as error:
            raise Http404(error.code) from error
        content = render(document, output=Output.PDF, created_at=cheque.issued_at, paper=Paper.A4)
        response = HttpResponse(content, content_type="application/pdf")
        return as_file(response, f"cheque-{number:08d}.pdf")


@admin.register(VoidedChequePayment)
class VoidedChequePaymentAdmin(Register):
    asks = ("presented_on", "amount_cents")
    summed = ("amount_cents",)
    columns = ("cheque", "presented_on", "amount_cents", "outcome", "recorded_at", "reversed_at")
    list_filter = ("outcome", losses.TakenBackFilter)
    acts = (losses.TAKE_BACK,)


@admin.register(ChequeRecovery)
class ChequeRecoveryAdmin(Register):
    search_fields = ("reference",)
    asks = ("credited_on", "amount_cents")
    summed = ("amount_cents",)
    columns = (
        "reference",
        "credited_on",
        "amount_cents",
        "returned_by",
        "cheque",
        "recorded_at",
        "reversed_at",
    )
    list_filter = ("returned_by", losses.TakenBackFilter)
    acts = (losses.TAKE_BACK,)


@admin.register(ChequeWriteOff)
class ChequeWriteOffAdmin(Register):
    asks = ("recorded_at", "amount_cents")
    summed = ("amount_cents",)
    columns = ("cheque", "amount_cents", "reason", "recorded_at", "reversed_at")
    list_filter = (losses.TakenBackFilter,)
    acts = (losses.TAKE_BACK,)
