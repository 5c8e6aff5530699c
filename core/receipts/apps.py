from django.apps import AppConfig


class ReceiptsConfig(AppConfig):
    """What tickets, vouchers, slips and posters look like. No models."""

    name = "core.receipts"
