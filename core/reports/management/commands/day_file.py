"""`manage.py day_file --day D [FILE]`: write a day's events, from which it can be replayed."""

import datetime
import tempfile
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

from django.core.management.base import CommandError

from core.database.management.program_command import ProgramCommand
from core.database.management.whole_file import anew, whole_file
from core.database.reading.standby import read_much
from core.looks.recording import EXPORT, look
from core.nights.services import last_day
from core.reports.days.day_file import write


class Command(ProgramCommand):
    help = (
        "Write the events of a day that has ended, with its figures, to a file. The file is there"
        " whole or not at all. day_replay plays it again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--day", type=datetime.date.fromisoformat, required=True, help="the day, as YYYY-MM-DD"
        )
        parser.add_argument(
            "file", type=Path, nargs="?", help="the file to write; standard output without it"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        day: datetime.date = options["day"]
        if day > last_day():
            raise CommandError("the day has not ended")
        look(EXPORT, "day_file", asked=str(day))

        def write_day(file: TextIO) -> int:
            return read_much(lambda: write(day, anew(file)))

        if options["file"]:
            events = whole_file(options["file"], write_day)
        else:
            events = self._to_output(write_day)
        self.stderr.write(f"{events} events")

    def _to_output(self, write_day: Callable[[TextIO], int]) -> int:
        """Write the day to standard output once it is read whole. Raises CommandError."""
        try:
            with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
                events = write_day(file)
                file.seek(0)
                self.stdout.writelines(file)
                self.stdout.flush()
        except OSError as error:
            raise CommandError(f"the day is not written whole, throw it away: {error}") from error
        return events
