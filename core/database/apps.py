"""App configuration."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class DatabaseConfig(AppConfig):
    name = "core.database"
    label = "database"

    def ready(self) -> None:
        from core.database.guards import install_guards

        post_migrate.connect(install_guards, sender=self)
