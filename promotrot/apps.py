"""App configuration."""

from django.apps import AppConfig


class PromotrotConfig(AppConfig):
    name = "promotrot"
    verbose_name = "Promotrot"

    def ready(self) -> None:
        from promotrot import journal_rules, tasks, whatif
        from promotrot.services import (  # noqa: F401  (they register their acts of two persons)
            closing,
            ending,
            games,
            payables,
            rebuild,
            unfinished,
        )

        journal_rules.register_all()
        payables.register()
        rebuild.register()
        tasks.register()
        unfinished.register()
        whatif.register()
