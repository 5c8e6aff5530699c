"""App configuration."""

from django.apps import AppConfig


class StatementsConfig(AppConfig):
    name = "core.statements"
    label = "statements"
    verbose_name = "Premises' accounts"
