"""App configuration."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class NightsConfig(AppConfig):
    name = "core.nights"
    label = "nights"
    verbose_name = _("Nights")
