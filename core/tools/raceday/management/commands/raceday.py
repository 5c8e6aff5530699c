"""`manage.py raceday`: start everything, play a race day through the API, stop everything."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.tools.embedded.postgres import Postgres
from core.tools.embedded.processes import EmbeddedError
from core.tools.embedded.server import ROOT, var_folder
from core.tools.embedded.stack import Stack
from core.tools.embedded.valkey import Valkey
from core.tools.raceday.api import ApiProblem
from core.tools.raceday.people import terminal_register
from core.tools.raceday.stage import Amiss, Stage, play


class Command(BaseCommand):
    help = "Play a whole race day on this machine and print it. Its data are made anew each time."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--keep-running", action="store_true", help="leave the system up until Ctrl-C"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        folder = var_folder() / "raceday"
        Postgres(folder / "postgres").destroy()
        Valkey(folder / "valkey").destroy()
        began = time.monotonic()
        environment = {"SIMULATED_TIME": "1", "VAR_DIR": str(folder)}
        try:
            with Stack(folder=folder, environment=environment, workers=2) as stack:
                stage = play(stack.base_url, stack.environment)
                self._rebuild(stack, folder)
                print(f"\nThe race day took {time.monotonic() - began:.0f} seconds.", flush=True)
                if options["keep_running"]:
                    self._welcome(stack, stage, folder)
                    stack.wait()
        except (Amiss, ApiProblem, EmbeddedError) as fault:
            raise CommandError(f"Amiss: {fault} (logs: {folder / 'log'})") from fault
        except KeyboardInterrupt:
            print("\nStopped.")

    def _rebuild(self, stack: Stack, folder: Path) -> None:
        """Recount every balance from tickets and results, as an auditor would."""
        done = subprocess.run(
            [sys.executable, "manage.py", "ledger_rebuild"],
            cwd=ROOT,
            env=stack.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise Amiss(f"the ledger is not what the tickets say:\n{done.stdout}{done.stderr}")
        print("  · " + done.stdout.strip().splitlines()[-1])

    def _welcome(self, stack: Stack, stage: Stage, folder: Path) -> None:
        """Where everything is, and all it takes to try it: nothing here is worth keeping."""
        place = stage.sellers[0].premises
        enrolment = terminal_register(stage.staff["org1"], place, "T-VISITOR")
        here = f"SIMULATED_TIME=1 VAR_DIR={os.path.relpath(folder)}"
        print(f"\nThe system is up at {stack.base_url}; Ctrl-C stops it.")
        print(f"  board    {stack.base_url}/")
        print(f"  check    {stack.base_url}/check")
        print(f"  terminal {stack.base_url}/terminal/")
        print(f"           enrolment code {enrolment}, then operator 1, PIN {stage.pin}")
        print(f"  API      {stack.base_url}/api/v1/schema")
        print(f"  admin    {stack.base_url}/admin/")
        for username, password in stage.staff.passwords.items():
            print(f"           {username:8} {password}")
        print("           and the person's one-time code, of which each is good once:")
        print(f"           {here} .venv/bin/python manage.py staff_code org1", flush=True)
