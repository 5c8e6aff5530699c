"""Addresses under /api/v1/ of premises' accounts."""

from django.urls import path

from core.statements.api import cash_ups, statements

urlpatterns = [
    path("premises/<str:code>/account", statements.Account.as_view()),
    path("premises/<str:code>/guarantee-limits", statements.Limits.as_view()),
    path("guarantee-limits", statements.ChosenLimits.as_view()),
    path("commission-rates", statements.Rates.as_view()),
    path("statements", statements.Statements.as_view()),
    path("statements/<uuid:statement>.<str:form>", statements.OneStatement.as_view()),
    path("statements/<uuid:statement>/remittances", statements.Remittances.as_view()),
    path("terminal/account", statements.TerminalAccount.as_view()),
    path("terminal/drawer", cash_ups.TerminalDrawer.as_view()),
    path("terminal/cash-ups", cash_ups.TerminalCashUps.as_view()),
    path("terminal/cash-ups/<uuid:ident>/slip.<str:form>", cash_ups.TerminalCashUpSlip.as_view()),
    path("cash-ups", cash_ups.CashUps.as_view()),
]
