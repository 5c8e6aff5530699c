"""`manage.py audit`: do at once the audits that the nights do in turns."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from core.database.management.program_command import ProgramCommand
from core.database.reading.standby import read_much
from core.kernel.errors import InvariantBroken
from core.nights import jobs


class Command(ProgramCommand):
    help = (
        "Audit all of the past: every balance, settlement, seal and statement, and the journal"
        " with every row. The nights do it in turns. Exit with 1 if anything differs."
        " Change nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("job", nargs="*", help="audits to do, by name; all if none is named")

    def handle(self, *args: Any, **options: Any) -> None:
        audits = {job.name: job.everything for job in jobs.all_jobs() if job.everything}
        names = options["job"] or list(audits)
        unknown = sorted(set(names) - set(audits))
        if unknown:
            raise CommandError(f"There is no audit {unknown[0]}: choose from {', '.join(audits)}.")
        failed = 0
        for name in names:
            try:
                outcome = read_much(audits[name])
            except InvariantBroken as error:
                failed += 1
                self.stdout.write(f"{name}: {error.code}: {error} {error.data}")
            else:
                did = " ".join(f"{key}={value}" for key, value in outcome.counts.items())
                self.stdout.write(f"{name}: {did}")
        if failed:
            raise CommandError(f"{failed} of {len(names)} audits found differences.")
