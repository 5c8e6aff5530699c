"""List the addresses of the journal under /api/v1/."""

from django.urls import path

from core.journal.api import journal

urlpatterns = [
    path("journal/acts", journal.Acts.as_view()),
    path("journal/acts/<int:act>", journal.OneAct.as_view()),
    path("journal/batches", journal.Batches.as_view()),
    path("journal/verification", journal.Verification.as_view()),
]
