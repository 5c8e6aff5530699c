"""`manage.py day_replay FILE`: replay a day from its events, in an empty database."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from core.database.management.program_command import ProgramCommand
from core.kernel.errors import DomainError
from core.reports.days.day_file import replay


class Command(ProgramCommand):
    help = (
        "Play a day file again, from its opening balances, in a migrated database that is empty,"
        " and compare every figure. It needs DATABASE_OWNER_URL, as migrate does. That database"
        " has run on simulated time afterwards: production refuses to serve it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="what day_file has written")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with options["file"].open(encoding="utf-8") as lines:
                compared = replay(lines)
        except DomainError as error:
            differing = error.data.get("found", [])
            for name, in_file, replayed in differing:
                self.stdout.write(f"{name}: the file says {in_file}, the replay made {replayed}")
            raise CommandError(
                f"{error.code}: {error} {'' if differing else error.data}"
            ) from error
        except OSError as error:
            raise CommandError(f"the file cannot be read: {error}") from error
        self.stdout.write(f"{compared} figures, none differs.")
