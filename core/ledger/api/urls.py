"""List the addresses under /api/v1/ of the ledger."""

from django.urls import path

from core.ledger.api import ledger

urlpatterns = [
    path("ledger/accounts", ledger.Accounts.as_view()),
    path("ledger/transfers", ledger.Transfers.as_view()),
    path("ledger/trial-balance", ledger.TrialBalance.as_view()),
]
