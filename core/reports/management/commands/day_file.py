"""`manage.py day_file --day D > FILE`: a day's events, from which it can be made again."""

import datetime
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.looks.recording import EXPORT, look
from core.nights.services import last_day
from core.reports.day_file import write


class Command(BaseCommand):
    help = "Writes a day that has ended as a file of events (see day_replay)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--day", type=datetime.date.fromisoformat, required=True)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["day"] > last_day():
            raise CommandError("the day has not ended")
        look(EXPORT, "day_file", asked=str(options["day"]))
        events = write(options["day"], self.stdout)  # type: ignore[arg-type]
        self.stderr.write(f"{events} events")
