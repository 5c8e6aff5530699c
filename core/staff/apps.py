"""App configuration."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class StaffConfig(AppConfig):
    name = "core.staff"
    label = "staff"
    verbose_name = _("People")

    def ready(self) -> None:
        from core.staff import signals  # noqa: F401
