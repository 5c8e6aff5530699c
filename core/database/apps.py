"""Configure the app; install the guards after each migrate."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class DatabaseConfig(AppConfig):
    name = "core.database"
    label = "database"
    verbose_name = _("System")

    def ready(self) -> None:
        from core.database.guards import install_guards

        post_migrate.connect(install_guards, sender=self)
