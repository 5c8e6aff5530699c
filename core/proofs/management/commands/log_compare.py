"""`manage.py log_compare LOG`: list what a copy of the public log has and the database lacks."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from core.database.management.program_command import ProgramCommand
from core.proofs.copies import Comparison, Lacking, compare, entries_of


class Command(ProgramCommand):
    help = (
        "Compare the public log with a receiver's copy of it. List each entry that the database"
        " lacks, as after a restore to an earlier time. Exit with 1 if there is one."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "log", type=Path, help="a receiver's folder of entries, or a file with one on each line"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            comparison = compare(entries_of(options["log"]))
        except (OSError, ValueError) as error:
            raise CommandError(f"the log cannot be read: {error}") from error
        for each in comparison.lacking:
            self.stdout.write(_line(each))
        summary = _summary(comparison)
        if comparison.lacking:
            raise CommandError(
                f"{summary}; {len(comparison.lacking)} entries of the copy are not here:"
                " do again what they state (docs/operations/backup.md)"
            )
        self.stdout.write(f"{summary}; every entry of the copy is in this database")


def _line(lacking: Lacking) -> str:
    entry = lacking.entry
    other = f" (here otherwise, as entry {lacking.elsewhere})" if lacking.elsewhere else ""
    return f"{entry['sequence']} {entry['at']} {entry['kind']} {entry['subject']}{other}"


def _summary(comparison: Comparison) -> str:
    again = f"; {comparison.again} later ones published again" if comparison.again else ""
    return (
        f"the copy goes to entry {comparison.there}, the database to {comparison.here},"
        f" and they are one up to {comparison.both}{again}"
    )
