"""App configuration."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class JournalConfig(AppConfig):
    name = "core.journal"
    label = "journal"
    verbose_name = "Journal"

    def ready(self) -> None:
        from core.journal import acting, house_rules, raceday, tasks
        from core.journal.install import install

        acting.follow_tasks()
        house_rules.register_all()
        raceday.enter()
        tasks.register()
        post_migrate.connect(install, sender=self)
