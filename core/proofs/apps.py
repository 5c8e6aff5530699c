"""Configure the app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ProofsConfig(AppConfig):
    name = "core.proofs"
    label = "proofs"
    verbose_name = _("Proofs")
