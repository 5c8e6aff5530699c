"""App configuration."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class PeriodsConfig(AppConfig):
    name = "core.periods"
    label = "periods"
    verbose_name = _("Closed periods")
