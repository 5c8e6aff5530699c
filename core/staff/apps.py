"""App configuration."""

from django.apps import AppConfig


class StaffConfig(AppConfig):
    name = "core.staff"
    label = "staff"
    verbose_name = "Staff"

    def ready(self) -> None:
        from core.staff import signals  # noqa: F401
