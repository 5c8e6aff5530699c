"""Print every problem code: `manage.py problems`, the content of docs/problems.md."""

from importlib import import_module
from typing import Any

from django.conf import settings

from core.api.catalogue import as_markdown
from core.database.management.program_command import ProgramCommand


class Command(ProgramCommand):
    help = (
        "Print every code with which the API refuses, its status and title, and whether it may go"
        " away: the page docs/problems.md."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        # Problems are found by importing everything, the administration after its site is made.
        import_module(settings.ROOT_URLCONF)
        self.stdout.write(as_markdown(), ending="")
