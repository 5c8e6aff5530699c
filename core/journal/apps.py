"""App configuration."""

from django.apps import AppConfig


class JournalConfig(AppConfig):
    name = "core.journal"
    label = "journal"
    verbose_name = "Journal"
