"""App configuration."""

from django.apps import AppConfig


class ReportsConfig(AppConfig):
    name = "core.reports"
    label = "reports"
    verbose_name = "Reports"
