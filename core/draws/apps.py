"""Configure the app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class DrawsConfig(AppConfig):
    name = "core.draws"
    label = "draws"
    verbose_name = _("Public draws")
