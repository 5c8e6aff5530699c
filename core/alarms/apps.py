"""Configure the app of alarms."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AlarmsConfig(AppConfig):
    name = "core.alarms"
    label = "alarms"
    verbose_name = _("Alarms")
