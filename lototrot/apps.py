"""App configuration."""

from django.apps import AppConfig


class LototrotConfig(AppConfig):
    name = "lototrot"
    verbose_name = "Lototrot"

    def ready(self) -> None:
        from core.screens import live
        from lototrot import journal_rules, metrics, reports, screens, tasks, whatif
        from lototrot.raceday import drawing, nights, paying, story
        from lototrot.selectors import board
        from lototrot.services import (  # noqa: F401  (they register their acts of two persons)
            accounts,
            breach,
            classification,
            day,
            nightly,
            payables,
            payment_order,
            rebuild,
            starts,
            withdrawals,
        )

        accounts.register()
        drawing.enter()
        nights.enter()
        paying.enter()
        story.enter()
        journal_rules.register_all()
        live.register(
            live.Feed("lototrot", board.board_pulse, board.board_document, board.board_prepare)
        )
        day.register()
        metrics.register()
        nightly.register()
        payables.register()
        rebuild.register()
        reports.register()
        screens.register()
        tasks.register()
        whatif.register()
