"""`manage.py period_archive YYYY-MM FOLDER`: write a closed month to files.

See docs/operations/archives.md.
"""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from core.database.management.program_command import ProgramCommand
from core.looks.recording import EXPORT, look
from core.periods.archive.writing import archive_write, closed_period


class Command(ProgramCommand):
    help = (
        "Write a closed month to files in FOLDER/YYYY-MM and read them again. Exit with 1 unless"
        " they are whole."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("month", help="the closed month, as YYYY-MM")
        parser.add_argument("folder", type=Path, help="where the folder of the month is made")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            period = closed_period(options["month"])
            look(EXPORT, f"period:{period}", asked=str(options["folder"]))
            archive = archive_write(period=period, folder=options["folder"])
        except OSError as error:
            raise CommandError(f"nothing was archived: {error}") from error
        tables = archive.manifest["tables"]
        self.stdout.write(
            f"{period}: {sum(table['rows'] for table in tables)} rows of {len(tables)} tables;"
            f" manifest {archive.sha256}"
        )
