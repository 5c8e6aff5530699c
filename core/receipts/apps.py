"""Configure the app of papers."""

from django.apps import AppConfig


class ReceiptsConfig(AppConfig):
    """Configure the app that renders tickets, vouchers, slips and posters. It has no models."""

    name = "core.receipts"
