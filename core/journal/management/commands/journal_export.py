"""`manage.py journal_export FILE`: write the sealed journal to a file, for verify/journal.py."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from core.database.management.program_command import ProgramCommand
from core.database.management.whole_file import anew, whole_file
from core.database.reading.standby import read_much
from core.journal.export import export
from core.looks.recording import EXPORT, look


class Command(ProgramCommand):
    help = "Write the sealed journal to a file, for verify/journal.py."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file", type=Path, help="the file to write; none that is there is replaced"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        look(EXPORT, "journal", asked=str(options["file"]))
        batches = whole_file(options["file"], lambda file: read_much(lambda: export(anew(file))))
        self.stdout.write(f"{batches} batches")
