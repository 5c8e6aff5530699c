"""App configuration."""

from django.apps import AppConfig


class LototrotConfig(AppConfig):
    name = "lototrot"
    verbose_name = "Lototrot"

    def ready(self) -> None:
        from core.screens import live
        from lototrot import (
            day_parts,
            journal_rules,
            metrics,
            movements,
            nightly,
            rebuild,
            reports,
            screens,
            tasks,
            whatif,
        )
        from lototrot.raceday import drawing, nights, paying, story
        from lototrot.selectors import board
        from lototrot.services.prizes import payables

        movements.register()
        drawing.enter()
        nights.enter()
        paying.enter()
        story.enter()
        journal_rules.register_all()
        live.register(
            live.Feed("lototrot", board.board_pulse, board.board_document, board.board_prepare)
        )
        day_parts.register()
        metrics.register()
        nightly.register()
        payables.register()
        rebuild.register()
        reports.register()
        screens.register()
        tasks.register()
        whatif.register()
