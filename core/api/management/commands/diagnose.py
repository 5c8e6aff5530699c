"""`manage.py diagnose`: say what is wrong with this machine, and what to do."""

from typing import Any

from django.core.management.base import CommandError

from core.config.console.diagnosis import State, findings
from core.database.management.program_command import ProgramCommand


class Command(ProgramCommand):
    help = (
        "Look at the database, keys, clock, files, disk, broker and workers as this machine sees"
        " them, and say of each fault what to do. Change nothing. Exit with 1 if there is one."
    )
    needs_keys = False  # it compares them itself, and goes on

    def handle(self, *_: Any, **__: Any) -> None:
        faults = 0
        for finding in findings():
            faults += finding.state is State.FAULT
            self.stdout.write(f"{finding.state:6} {finding.name:12} {finding.words}")
            self.stdout.flush()
        if faults:
            raise CommandError(f"faults: {faults}; mend the first one first, and run this again")
        self.stdout.write("nothing is wrong here; if people see errors, read the log of the web")
