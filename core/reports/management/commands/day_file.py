"""`manage.py day_file --day D > FILE`: write a day's events, from which it can be replayed."""

import datetime
import tempfile
from argparse import ArgumentParser
from typing import Any, TextIO

from django.core.management.base import CommandError

from core.database.management.program_command import ProgramCommand
from core.database.reading.standby import read_much
from core.looks.recording import EXPORT, look
from core.nights.services import last_day
from core.reports.days.day_file import write


class Command(ProgramCommand):
    help = "Writes the events of a day that has ended to standard output (see day_replay)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--day", type=datetime.date.fromisoformat, required=True)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["day"] > last_day():
            raise CommandError("the day has not ended")
        look(EXPORT, "day_file", asked=str(options["day"]))
        with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
            events = read_much(lambda: _write_anew(options["day"], file))
            file.seek(0)
            self.stdout.writelines(file)
        self.stderr.write(f"{events} events")


def _write_anew(day: datetime.date, file: TextIO) -> int:
    """Write the day over what a reading that failed has left in the file."""
    file.seek(0)
    file.truncate()
    return write(day, file)
