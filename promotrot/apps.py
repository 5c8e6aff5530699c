"""App configuration."""

from django.apps import AppConfig


class PromotrotConfig(AppConfig):
    name = "promotrot"
    verbose_name = "Promotrot"

    def ready(self) -> None:
        from core.screens import live
        from promotrot import (
            day_parts,
            journal_rules,
            metrics,
            movements,
            rebuild,
            reports,
            screens,
            tasks,
            whatif,
        )
        from promotrot.raceday import story
        from promotrot.selectors import board
        from promotrot.services import payables, unfinished

        movements.register()
        story.enter()
        journal_rules.register_all()
        live.register(live.Feed("promotrot", board.board_pulse, board.board_document))
        metrics.register()
        day_parts.register()
        payables.register()
        rebuild.register()
        reports.register()
        screens.register()
        tasks.register()
        unfinished.register()
        whatif.register()
