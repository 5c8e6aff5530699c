"""Addresses under /api/v1/ of the public log."""

from django.urls import path

from core.proofs.api import log
from core.receipts.output import Output

urlpatterns = [
    path("log", log.Entries.as_view()),
    path("log/head", log.Head.as_view()),
    path("log/keys", log.Keys.as_view()),
    path("log/<int:sequence>", log.OneEntry.as_view()),
    *[path(f"log/record.{output}", log.record_view(output).as_view()) for output in Output],
]
