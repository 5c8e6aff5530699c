"""Addresses under /api/v1/ of reports."""

from django.urls import path

from core.reports.api import reports

urlpatterns = [
    path("reports", reports.Reports.as_view()),
    path("reports/<str:name>.csv", reports.ReportCsv.as_view()),
    path("reports/<str:name>.xlsx", reports.ReportXlsx.as_view()),
    path("reports/<str:name>", reports.OneReport.as_view()),
]
