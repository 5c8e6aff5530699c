"""App configuration."""

from django.apps import AppConfig


class PromotrotConfig(AppConfig):
    name = "promotrot"
    verbose_name = "Promotrot"

    def ready(self) -> None:
        from promotrot import tasks, whatif
        from promotrot.services import (  # noqa: F401  (they register their acts of two persons)
            closing,
            games,
            rebuild,
        )

        rebuild.register()
        tasks.register()
        whatif.register()
