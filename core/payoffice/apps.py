"""App configuration."""

from django.apps import AppConfig


class PayofficeConfig(AppConfig):
    name = "core.payoffice"
    label = "payoffice"
    verbose_name = "Prize payment"
