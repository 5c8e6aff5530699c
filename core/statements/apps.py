"""App configuration."""

from django.apps import AppConfig


class StatementsConfig(AppConfig):
    name = "core.statements"
    label = "statements"
    verbose_name = "Premises' accounts"

    def ready(self) -> None:
        from core.statements import day_parts, journal_rules, movements, nightly, tasks

        movements.register_prizes("payoffice.payment")
        day_parts.register()
        journal_rules.register_all()
        nightly.register()
        tasks.register()
