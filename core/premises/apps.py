"""Configure the app of premises."""

from django.apps import AppConfig
from django.utils.translation import pgettext_lazy


class PremisesConfig(AppConfig):
    name = "core.premises"
    label = "premises"
    verbose_name = pgettext_lazy("several", "Premises")
