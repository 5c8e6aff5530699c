"""Route the prize office's resources: terminals', the desk's, and the public check of a code."""

from django.urls import URLPattern, path

from core.payoffice.api import cash, claims, losses, office, treasury
from core.payoffice.api import claim_papers as papers

_CHEQUE = "office/cheques/<int:number>"
_RECEIPT = "<uuid:ident>/receipt.<str:form>"

_CLAIMS: list[URLPattern] = [
    path("check", claims.PublicCheck.as_view()),
    path("claims/check", claims.Check.as_view()),
    path("claims/payments", claims.Payments.as_view()),
    path("claims/presentations", claims.Presentations.as_view()),
    path("claims/deposits", claims.Deposits.as_view()),
    path("claims/deposits/<uuid:deposit>/images", claims.DepositImages.as_view()),
    path("claims/slip.<str:form>", papers.StatusSlip.as_view()),
    path(f"claims/payments/{_RECEIPT}", papers.TerminalPaymentReceipt.as_view()),
    path(f"claims/presentations/{_RECEIPT}", papers.TerminalPresentationReceipt.as_view()),
    path(f"claims/deposits/{_RECEIPT}", papers.TerminalDepositReceipt.as_view()),
]

_OFFICE: list[URLPattern] = [
    path("office/check", office.Desk.as_view()),
    path("office/payments", office.Payments.as_view()),
    path("office/presentations", office.Presentations.as_view()),
    path("office/deposits", office.Deposits.as_view()),
    path("office/deposits/<uuid:deposit>/images", office.DepositImages.as_view()),
    path("office/deposits/<uuid:deposit>/arrivals", office.Arrivals.as_view()),
    path("office/deposits/<uuid:deposit>/match", office.Match.as_view()),
    path("office/images/<uuid:image>", office.OneImage.as_view()),
    path("office/rulings", office.Rulings.as_view()),
    path("office/exchanges", office.Exchanges.as_view()),
    path("office/slip.<str:form>", papers.OfficeSlip.as_view()),
    path(f"office/payments/{_RECEIPT}", papers.OfficePaymentReceipt.as_view()),
    path(f"office/presentations/{_RECEIPT}", papers.OfficePresentationReceipt.as_view()),
    path(f"office/deposits/{_RECEIPT}", papers.OfficeDepositReceipt.as_view()),
    path("office/exchanges/<uuid:ident>/document.<str:form>", papers.ExchangeDocument.as_view()),
    path("office/cash-sessions", cash.CashSessions.as_view()),
    path("office/cash-sessions/movements", cash.CashMovements.as_view()),
    path("office/cash-sessions/<uuid:session>/close", cash.CashClose.as_view()),
    path("office/cash-sessions/<uuid:ident>/closing.<str:form>", cash.ClosingSlip.as_view()),
    path("office/cheques", treasury.Cheques.as_view()),
    path("office/cheques/reconciliation", treasury.Reconciliation.as_view()),
    path(f"{_CHEQUE}.<str:form>", treasury.ChequePaper.as_view()),
    path(f"{_CHEQUE}/voiding", treasury.ChequeVoiding.as_view()),
    path(f"{_CHEQUE}/bank-payment", losses.ChequeBankPayment.as_view()),
    path(f"{_CHEQUE}/recoveries", losses.ChequeRecoveries.as_view()),
    path(f"{_CHEQUE}/write-offs", losses.ChequeWriteOffs.as_view()),
    path("office/loss-entries/<uuid:ident>/reversal", losses.LossEntryReversal.as_view()),
    path(f"{_CHEQUE}/reissue", treasury.ChequeReissue.as_view()),
    path("office/stock", treasury.Stock.as_view()),
    path("office/stock/<str:item>/movements", treasury.StockMovements.as_view()),
    path("office/stock/<str:item>/corrections", treasury.StockCorrections.as_view()),
    path("office/cash-ceilings", treasury.Ceilings.as_view()),
]

urlpatterns = [*_CLAIMS, *_OFFICE]
