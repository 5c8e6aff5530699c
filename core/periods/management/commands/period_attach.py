"""`manage.py period_attach FOLDER`: load an archived month again, to be read by an inquiry."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from core.database.management.program_command import ProgramCommand
from core.periods.archive.attaching import attach, detach


class Command(ProgramCommand):
    help = (
        "Verify the files of a closed month and load them into a schema of the database, for"
        " period_look to read. With --drop, take that schema away again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "folder", type=Path, help="the folder of the month; with --drop, YYYY-MM"
        )
        parser.add_argument("--drop", action="store_true", help="take the schema away")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["drop"]:
            detach(options["folder"].name)
            return
        schema = attach(options["folder"])
        self.stdout.write(f"{schema}: verified and loaded")
