"""App configuration."""

from django.apps import AppConfig


class ScreensConfig(AppConfig):
    name = "core.screens"
    label = "screens"
    verbose_name = "Screens"
