"""`manage.py names_erase_again LOG`: erase in a restored backup the names erased since it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from core.database.management.program_command import ProgramCommand
from core.kernel.errors import DomainError
from core.periods.names import names_erase_again


class Command(ProgramCommand):
    help = "Erase again the names that a copy of the public log calls erased."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "log", type=Path, help="a receiver's folder of entries, or a file with one on each line"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            done = names_erase_again(_entries(options["log"]))
        except (OSError, ValueError) as error:
            raise CommandError(f"the log cannot be read: {error}") from error
        except DomainError as error:
            raise CommandError(f"{error.code}: {error} {error.data}") from error
        self.stdout.write(f"{done.entries} entries, {done.names} names erased")


def _entries(log: Path) -> Iterator[dict[str, Any]]:
    """Yield the entries of a folder or file, in their order. Raises OSError, ValueError.

    A log without an entry is none: a wrong path would say that no name was to be erased.
    """
    has_entry = False
    files = sorted(log.glob("*.json")) if log.is_dir() else [log]
    for file in files:
        with file.open(encoding="utf-8") as lines:
            for line in lines:
                if line.strip():
                    has_entry = True
                    yield _entry(json.loads(line))
    if not has_entry:
        raise ValueError("it has no entry")


def _entry(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("a line is no entry")
    return value
