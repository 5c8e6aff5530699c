"""App configuration."""

from django.apps import AppConfig


class ScreensConfig(AppConfig):
    name = "core.screens"
    label = "screens"
    verbose_name = "Screens"

    def ready(self) -> None:
        from core.api import metrics
        from core.screens import base_texts, board, check, live, terminal

        base_texts.define()
        board.define()
        check.define()
        terminal.define()
        metrics.register(live.age)
