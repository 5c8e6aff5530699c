"""App configuration."""

from django.apps import AppConfig


class RaceDayConfig(AppConfig):
    name = "core.tools.raceday"
    label = "raceday"
    verbose_name = "Race day"
