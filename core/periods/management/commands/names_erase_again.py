"""`manage.py names_erase_again LOG`: erase in a restored backup the names erased since it."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from core.database.management.program_command import ProgramCommand
from core.periods.names import names_erase_again
from core.proofs.copies import entries_of


class Command(ProgramCommand):
    help = (
        "Erase in a restored database the names that were erased after its backup was made, as a"
        " copy of the public log says."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "log", type=Path, help="a receiver's folder of entries, or a file with one on each line"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            done = names_erase_again(entries_of(options["log"]))
        except (OSError, ValueError) as error:
            raise CommandError(f"the log cannot be read: {error}") from error
        self.stdout.write(f"{done.entries} entries, {done.names} names erased")
