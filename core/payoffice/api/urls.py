"""Resources of the prize office: a terminal's, the desk's, and the one for whoever holds a code."""

from collections.abc import Callable

from django.urls import URLPattern, path

from core.api.views import ApiView
from core.payoffice.api import claim_papers as papers
from core.payoffice.api import claims, office, treasury
from core.receipts.output import Output

_CHEQUE = "office/cheques/<int:number>"


def _receipts(prefix: str, view: Callable[[str, Output], type[ApiView]]) -> list[URLPattern]:
    return [
        path(f"{prefix}/{of}/<uuid:ident>/receipt.{output}", view(of, output).as_view())
        for of in papers.RECEIPTS
        for output in Output
    ]


_CLAIMS: list[URLPattern] = [
    path("check", claims.PublicCheck.as_view()),
    path("claims/check", claims.Check.as_view()),
    path("claims/payments", claims.Payments.as_view()),
    path("claims/presentations", claims.Presentations.as_view()),
    path("claims/deposits", claims.Deposits.as_view()),
    path("claims/deposits/<uuid:deposit>/images", claims.DepositImages.as_view()),
    *[path(f"claims/slip.{output}", papers.slip_view(output).as_view()) for output in Output],
    *_receipts("claims", papers.receipt_view),
]

_OFFICE: list[URLPattern] = [
    path("office/check", office.Desk.as_view()),
    path("office/payments", office.Payments.as_view()),
    path("office/presentations", office.Presentations.as_view()),
    path("office/deposits", office.Deposits.as_view()),
    path("office/deposits/<uuid:deposit>/images", office.DepositImages.as_view()),
    path("office/deposits/<uuid:deposit>/match", office.Match.as_view()),
    path("office/images/<uuid:image>", office.OneImage.as_view()),
    path("office/rulings", office.Rulings.as_view()),
    path("office/exchanges", office.Exchanges.as_view()),
    *[
        path(f"office/slip.{output}", papers.office_slip_view(output).as_view())
        for output in Output
    ],
    *_receipts("office", papers.office_receipt_view),
    *[
        path(
            f"office/exchanges/<uuid:ident>/document.{output}",
            papers.exchange_view(output).as_view(),
        )
        for output in Output
    ],
    path("office/cash-sessions", treasury.CashSessions.as_view()),
    path("office/cash-sessions/movements", treasury.CashMovements.as_view()),
    path("office/cash-sessions/<uuid:session>/close", treasury.CashClose.as_view()),
    path("office/cheques", treasury.Cheques.as_view()),
    path("office/cheques/reconciliation", treasury.Reconciliation.as_view()),
    path(f"{_CHEQUE}.pdf", treasury.ChequePdf.as_view()),
    path(f"{_CHEQUE}/voiding", treasury.ChequeVoiding.as_view()),
    path(f"{_CHEQUE}/reissue", treasury.ChequeReissue.as_view()),
    path("office/stock", treasury.Stock.as_view()),
    path("office/stock/<str:item>/movements", treasury.StockMovements.as_view()),
    path("office/cash-ceilings", treasury.Ceilings.as_view()),
]

urlpatterns = [*_CLAIMS, *_OFFICE]
