"""App configuration."""

from django.apps import AppConfig


class RaceDayConfig(AppConfig):
    name = "core.raceday"
    label = "raceday"
    verbose_name = "Race day"
