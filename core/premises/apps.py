"""Configure the app of premises."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class PremisesConfig(AppConfig):
    name = "core.premises"
    label = "premises"
    verbose_name = _("Premises")
