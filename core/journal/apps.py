"""Configure the app; put every table under the journal after each migrate."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class JournalConfig(AppConfig):
    name = "core.journal"
    label = "journal"
    verbose_name = _("Journal")

    def ready(self) -> None:
        from core.journal.install import install

        post_migrate.connect(install, sender=self)
