"""List the addresses of the public log under /api/v1/."""

from django.urls import path

from core.proofs.api import log

urlpatterns = [
    path("log", log.Entries.as_view()),
    path("log/head", log.Head.as_view()),
    path("log/comparison", log.Comparison.as_view()),
    path("log/keys", log.Keys.as_view()),
    path("log/<int:sequence>", log.OneEntry.as_view()),
    path("log/record.<str:form>", log.Record.as_view()),
]
