"""App configuration."""

from django.apps import AppConfig


class PromotrotConfig(AppConfig):
    name = "promotrot"
    verbose_name = "Promotrot"

    def ready(self) -> None:
        from core.screens import live
        from promotrot import (
            screens,
        )
        from promotrot.selectors import board

        live.register(live.Feed("promotrot", board.board_pulse, board.board_document))
        screens.register()
