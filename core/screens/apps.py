"""App configuration."""

from django.apps import AppConfig


class ScreensConfig(AppConfig):
    name = "core.screens"
    label = "screens"
    verbose_name = "Screens"

    def ready(self) -> None:
        from core.screens import base_texts, board, check, terminal

        base_texts.define()
        board.define()
        check.define()
        terminal.define()
