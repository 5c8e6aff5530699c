"""App configuration."""

from django.apps import AppConfig


class DrawsConfig(AppConfig):
    name = "core.draws"
    label = "draws"
    verbose_name = "Public draws"

    def ready(self) -> None:
        from core.draws import journal_rules

        journal_rules.register_all()
