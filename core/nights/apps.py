"""App configuration."""

from django.apps import AppConfig


class NightsConfig(AppConfig):
    name = "core.nights"
    label = "nights"
    verbose_name = "Nights"

    def ready(self) -> None:
        from core.nights import metrics

        metrics.register()
