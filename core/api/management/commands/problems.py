"""Print every problem code: `manage.py problems`, the content of docs/problems.md."""

from importlib import import_module
from typing import Any

from django.conf import settings

from core.api.catalogue import as_markdown
from core.database.management.program_command import ProgramCommand


class Command(ProgramCommand):
    help = "Print every problem code with its status, title and whether it is transient."

    def handle(self, *args: Any, **options: Any) -> None:
        # Problems are found by importing everything, the administration after its site is made.
        import_module(settings.ROOT_URLCONF)
        self.stdout.write(as_markdown(), ending="")
