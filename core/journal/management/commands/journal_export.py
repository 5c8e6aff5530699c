"""`manage.py journal_export FILE`: write the sealed journal to a file, for verify/journal.py."""

import os
import secrets
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
        part = target.with_name(f"{target.name}.{secrets.token_hex(4)}.part")
        try:
            if target.exists():
                raise FileExistsError(f"{target} is there already")
            with part.open("x", encoding="utf-8") as file:
                batches = read_much(lambda: _export_anew(file))
                file.flush()
                os.fsync(file.fileno())
            target.touch(exist_ok=False)  # it replaces no file that came meanwhile
            part.replace(target)  # disks for transport have no hard links
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
