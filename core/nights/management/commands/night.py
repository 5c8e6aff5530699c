"""`manage.py night`: run the nightly jobs that are due, without beat and broker."""

import datetime
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from core.database.management.program_command import ProgramCommand
from core.nights.models import JobRun
from core.nights.services import night_run


class Command(ProgramCommand):
    help = (
        "Run every job that ended days have left undone, up to yesterday or to --day. To run it"
        " twice changes nothing. Exit with 1 if a job fails."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--day", type=datetime.date.fromisoformat, help="the last day to do, as YYYY-MM-DD"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        runs = night_run(until=options["day"], tell=self._tell)
        failed = [run for run in runs if run.state != JobRun.State.DONE]
        if failed:
            raise CommandError(f"{len(failed)} of {len(runs)} jobs failed.")
        if not runs:
            self.stdout.write("nothing is due")

    def _tell(self, run: JobRun) -> None:
        did = " ".join(f"{name}={value}" for name, value in run.counts.items())
        self.stdout.write(f"{run.day} {run.job}: {run.state} {did}{run.error}".rstrip())
