"""`manage.py period_attach FOLDER`: load an archived month again, to be read by an inquiry."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from core.database.management.program_command import ProgramCommand
from core.periods.archive.attaching import attach, detach


class Command(ProgramCommand):
    help = "Verify the files of a closed month and load them into a schema that is only read."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="FOLDER/YYYY-MM; with --drop: YYYY-MM")
        parser.add_argument("--drop", action="store_true", help="drop the schema again")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["drop"]:
            detach(options["folder"].name)
            return
        schema = attach(options["folder"])
        self.stdout.write(f"{schema}: verified and loaded")
