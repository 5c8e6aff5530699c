"""App configuration."""

from django.apps import AppConfig


class LototrotConfig(AppConfig):
    name = "lototrot"
    verbose_name = "Lototrot"

    def ready(self) -> None:
        from lototrot import metrics, tasks, whatif
        from lototrot.services import rebuild

        metrics.register()
        rebuild.register()
        tasks.register()
        whatif.register()
