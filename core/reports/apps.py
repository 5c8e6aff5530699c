"""App configuration."""

from django.apps import AppConfig


class ReportsConfig(AppConfig):
    name = "core.reports"
    label = "reports"
    verbose_name = "Reports"

    def ready(self) -> None:
        from core.reports import money, sales

        sales.register()
        money.register()
