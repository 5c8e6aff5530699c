"""`manage.py journal_export FILE`: write the sealed journal to a file, for verify/journal.py."""

import os
from pathlib import Path
from typing import Any, TextIO

from django.core.management.base import CommandError, CommandParser

from core.database.management.program_command import ProgramCommand
from core.database.reading.standby import read_much
from core.journal.export import export
from core.looks.recording import EXPORT, look


class Command(ProgramCommand):
    help = "Write the sealed journal to a file, for verify/journal.py."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        look(EXPORT, "journal", asked=str(options["file"]))
        target: Path = options["file"]
        part = target.with_name(f"{target.name}.part")
        try:
            with part.open("w", encoding="utf-8") as file:
                batches = read_much(lambda: _export_anew(file))
                file.flush()
                os.fsync(file.fileno())
            os.link(part, target)  # the file is there whole or not at all, and replaces none
        except OSError as error:
            raise CommandError(f"nothing was exported: {error}") from error
        finally:
            part.unlink(missing_ok=True)
        self.stdout.write(f"{batches} batches")


def _export_anew(file: TextIO) -> int:
    """Write the journal over what a reading that failed has left in the file."""
    file.seek(0)
    file.truncate()
    return export(file)
