"""App configuration."""

from django.apps import AppConfig


class LototrotConfig(AppConfig):
    name = "lototrot"
    verbose_name = "Lototrot"
