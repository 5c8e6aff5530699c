"""`manage.py period_rows FOLDER`: name the rows of a retired month that are not as sealed."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from core.database.management.program_command import ProgramCommand
from core.periods.archive.naming import rows_named


class Command(ProgramCommand):
    help = (
        "Compare the rows of an archived month with its sealed entries, and name each row that"
        " differs. Exit with 1 if there is one."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="the folder of the month")

    def handle(self, *args: Any, **options: Any) -> None:
        findings = rows_named(options["folder"])
        for finding in findings:
            self.stdout.write(f"{finding.what}: {finding.detail}")
        if findings:
            raise CommandError(f"{len(findings)} rows are not as they were sealed")
        self.stdout.write("every row is as it was sealed")
