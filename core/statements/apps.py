"""App configuration."""

from django.apps import AppConfig


class StatementsConfig(AppConfig):
    name = "core.statements"
    label = "statements"
    verbose_name = "Premises' accounts"

    def ready(self) -> None:
        from core.statements import day, movements, nightly, tasks

        movements.register_prizes("payoffice.payment")
        day.register()
        nightly.register()
        tasks.register()
