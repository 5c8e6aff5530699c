"""Print every problem code: `manage.py problems`, the content of docs/problems.md."""

from typing import Any

from django.core.management.base import BaseCommand

from core.api.catalogue import as_markdown


class Command(BaseCommand):
    help = "Print every problem code with its status, title and whether it is transient."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(as_markdown(), ending="")
