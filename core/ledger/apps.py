"""App configuration."""

from django.apps import AppConfig


class LedgerConfig(AppConfig):
    name = "core.ledger"
    label = "ledger"
    verbose_name = "Ledger"
