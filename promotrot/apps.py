"""App configuration."""

from django.apps import AppConfig


class PromotrotConfig(AppConfig):
    name = "promotrot"
    verbose_name = "Promotrot"

    def ready(self) -> None:
        from promotrot import whatif
        from promotrot.services import closing, games  # noqa: F401  (they register their acts)

        whatif.register()
