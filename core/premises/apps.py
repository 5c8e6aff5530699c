"""App configuration."""

from django.apps import AppConfig


class PremisesConfig(AppConfig):
    name = "core.premises"
    label = "premises"
    verbose_name = "Premises"
