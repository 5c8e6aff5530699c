"""Print who may call each operation, read each page and do each act: `manage.py roles`."""

from typing import Any

from core.admin_support.roles import page
from core.database.management.program_command import ProgramCommand


class Command(ProgramCommand):
    help = (
        "Print which role may call each operation, read each page and do each act: the page"
        " docs/roles.md."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(page(), ending="")
