"""App configuration."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class LooksConfig(AppConfig):
    name = "core.looks"
    label = "looks"
    verbose_name = _("Looks")
