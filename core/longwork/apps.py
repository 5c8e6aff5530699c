"""Configure the app of long work."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class LongWorkConfig(AppConfig):
    name = "core.longwork"
    label = "longwork"
    verbose_name = _("Long work")
