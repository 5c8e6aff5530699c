"""App configuration."""

from django.apps import AppConfig


class NightsConfig(AppConfig):
    name = "core.nights"
    label = "nights"
    verbose_name = "Nights"
