"""App configuration."""

from django.apps import AppConfig


class PayofficeConfig(AppConfig):
    name = "core.payoffice"
    label = "payoffice"
    verbose_name = "Prize payment"

    def ready(self) -> None:
        from core.payoffice import day_parts, journal_rules, rebuild

        day_parts.register()
        journal_rules.register_all()
        rebuild.register()
