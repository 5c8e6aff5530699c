"""App configuration."""

from django.apps import AppConfig


class LototrotConfig(AppConfig):
    name = "lototrot"
    verbose_name = "Lototrot"

    def ready(self) -> None:
        from core.screens import live
        from lototrot import (
            screens,
        )
        from lototrot.selectors import board

        live.register(
            live.Feed("lototrot", board.board_pulse, board.board_document, board.board_prepare)
        )
        screens.register()
