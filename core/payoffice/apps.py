"""Configure the app of the prize office."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class PayofficeConfig(AppConfig):
    name = "core.payoffice"
    label = "payoffice"
    verbose_name = _("Prize payment")
