"""App configuration."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class TimekeepingConfig(AppConfig):
    name = "core.timekeeping"
    label = "timekeeping"
    verbose_name = _("Clock")
