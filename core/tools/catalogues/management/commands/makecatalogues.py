"""Bring the message catalogues up to date with the source, or check that they are."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from core.database.management.program_command import ProgramCommand
from core.tools.catalogues import catalogues


class Command(ProgramCommand):
    """Extract the messages of the code and templates into the catalogues, or check them."""

    help = "Bring the message catalogues up to date with the code, and list what to translate."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--check", action="store_true", help="write nothing; fail unless all is translated"
        )
        parser.add_argument(
            "--prune", action="store_true", help="drop the entries that are no longer used"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        root = settings.BASE_DIR
        if not options["check"]:
            for path in catalogues.make(root, prune=options["prune"]):
                self.stdout.write(f"{path.relative_to(root)} changed")
        problems = catalogues.check(root)
        for problem in problems:
            self.stderr.write(problem)
        if problems and options["check"]:
            raise CommandError(f"The catalogues have {len(problems)} problems.")
