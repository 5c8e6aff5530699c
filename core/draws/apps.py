"""App configuration."""

from django.apps import AppConfig


class DrawsConfig(AppConfig):
    name = "core.draws"
    label = "draws"
    verbose_name = "Public draws"
