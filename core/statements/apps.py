"""App configuration."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class StatementsConfig(AppConfig):
    name = "core.statements"
    label = "statements"
    verbose_name = _("Running accounts")
