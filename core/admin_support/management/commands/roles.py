"""Print who may call each operation, read each page and do each act: `manage.py roles`."""

from typing import Any

from django.core.management.base import BaseCommand

from core.admin_support.roles import page


class Command(BaseCommand):
    help = "Prints who may do what, as the page docs/roles.md."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(page(), ending="")
