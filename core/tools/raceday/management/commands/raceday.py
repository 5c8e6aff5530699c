"""Start the system, play a race day through the API, and stop the system."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from core.database.management.program_command import ProgramCommand
from core.tools.embedded.postgres import Postgres
from core.tools.embedded.processes import EmbeddedError
from core.tools.embedded.server import ROOT, var_folder
from core.tools.embedded.stack import BEAT_SCHEDULE, Stack
from core.tools.embedded.valkey import Valkey
from core.tools.raceday import show
from core.tools.raceday.api import ApiProblem
from core.tools.raceday.people import STAFF, enrolment_code, opened
from core.tools.raceday.stage import Amiss, Stage, play
from core.tools.raceday.surroundings import settings_of_a_race_day

# What would lead the demonstration to a database, a broker, a log or keys that are not its own.
OF_OTHERS = (
    *("DATABASE_URL", "DATABASE_OWNER_URL", "BROKER_URL", "LIMITS_URL", "LOG_RECEIVERS"),
    *("SECRET_KEY", "CODE_KEYS", "DATA_KEYS", "SEED_KEYS", "SIGNING_KEYS", "TOKEN_KEYS"),
    *("DEALER", "PROCESS", "SIGNER"),
)


def need_nothing_of_others(environment: Mapping[str, str]) -> None:
    """Raise CommandError if the environment names servers or keys, or says production."""
    named = [name for name in OF_OTHERS if environment.get(name) or environment.get(f"{name}_FILE")]
    if environment.get("PROFILE") == "production":
        named.insert(0, "PROFILE=production")
    if named:
        raise CommandError(
            "The demonstration makes a database, a broker and keys of its own, and touches no"
            f" others: unset {', '.join(named)}."
        )


class Command(ProgramCommand):
    help = "Play a race day on this machine and print it. Its data are made again each time."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--keep-running", action="store_true", help="leave the system up until Ctrl-C"
        )

    def handle(self, *_: Any, **options: Any) -> None:
        need_nothing_of_others(os.environ)
        folder = var_folder() / "raceday"
        Postgres(folder / "postgres").destroy()
        Valkey(folder / "valkey").destroy()
        for schedule in folder.glob(f"{BEAT_SCHEDULE}*"):
            schedule.unlink()  # or beat makes up for a night of the database that is gone
        began = time.monotonic()
        environment = settings_of_a_race_day() | {"VAR_DIR": str(folder)}
        try:
            with ExitStack() as running:
                with show.console.watched():
                    show.heading("Starting the system")
                    show.doing("starting PostgreSQL, the broker, the web server and workers")
                    stack = running.enter_context(
                        Stack(
                            folder=folder,
                            environment=environment,
                            sales_processes=1,
                            workers=2,
                        )
                    )
                    started_s = time.monotonic() - began
                    show.step("PostgreSQL, the broker, the web server and two workers are running")
                    stage, took = play(stack.base_url, stack.sales_url, stack.environment)
                    _recount(stack)
                    _durations([("Starting the system", started_s), *took], began)
                if options["keep_running"]:
                    _welcome(stack, stage, folder)
                    stack.wait()
        except (Amiss, ApiProblem, EmbeddedError) as fault:
            raise CommandError(f"Something went wrong: {fault} (logs: {folder / 'log'})") from fault
        except KeyboardInterrupt:
            print("\nStopped.")


def _recount(stack: Stack) -> None:
    """Compute every balance from tickets and results, and compare it with the ledger's."""
    show.doing("recounting every balance from the tickets")
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
    show.step(f"Recounted from tickets and results: {done.stdout.strip().splitlines()[-1]}")


def _durations(took: list[tuple[str, float]], began: float) -> None:
    """Print how long each chapter took."""
    show.heading("How long it took")
    rows = [(title, f"{seconds:.1f} s") for title, seconds in took]
    show.table(("chapter", "time"), [*rows, ("all", f"{time.monotonic() - began:.1f} s")])


def _welcome(stack: Stack, stage: Stage, folder: Path) -> None:
    """Print where everything is, and how to sign on. These data are made again each time."""
    place = stage.sellers[0].premises
    organisers = stage.staff["org1"], stage.staff["org2"]
    opened(*organisers, {"terminals": [{"premises": place, "code": "T-VISITOR"}]})
    enrolment = enrolment_code(stage.staff["org1"], "T-VISITOR")
    here = f"PROFILE=development SIMULATED_TIME=1 VAR_DIR={os.path.relpath(folder)}"
    show.heading("The system is running; Ctrl-C stops it")
    show.table(
        ("", "", ""),
        [
            ("board", f"{stack.base_url}/", "for anyone"),
            ("check", f"{stack.base_url}/check", "for the holder of a ticket"),
            ("terminal", f"{stack.sales_url}/terminal/", "for operators at premises"),
            ("admin", f"{stack.base_url}/admin/", "for staff"),
            ("API", f"{stack.base_url}/api/v1/schema", "for programs"),
        ],
    )
    show.step(
        f"At the terminal, type the enrolment code {enrolment} (good once),"
        f" then operator 1 with PIN {stage.pin}"
    )
    show.step("In the admin, sign on as one of these people:")
    show.table(
        ("user name", "password", "role"),
        [
            (username, password, STAFF.get(username, ("", "administrator"))[1])
            for username, password in stage.staff.passwords.items()
        ],
    )
    show.step("and with a one-time code, which this command prints (here for org1):")
    show.note(f"{here} .venv/bin/python manage.py staff_code org1")
