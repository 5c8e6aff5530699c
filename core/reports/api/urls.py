"""Addresses under /api/v1/ of reports."""

from django.urls import path

from core.reports.api import reports

urlpatterns = [
    path("reports", reports.Reports.as_view()),
    path("reports/<str:name>/files", reports.LongFile.as_view()),
    path("reports/<str:name>.<str:form>", reports.OneReport.as_view()),
]
