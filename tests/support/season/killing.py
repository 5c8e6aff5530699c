"""Kill a process in the middle of a season's work, at a statement that the season chooses."""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping

from django.db import connection

from core.tools.embedded.server import ROOT
from tests.support.concurrency.sales import eventually

NAME = "season: to be killed"


def killed(environment: Mapping[str, str], work: str, statement: int) -> bool:
    """Run the work in a process of its own that dies at a statement. Return whether it did."""
    child = subprocess.run(
        [sys.executable, "-m", "tests.support.season.doomed", work, str(statement)],
        cwd=ROOT,
        env={**os.environ, **environment, "PGAPPNAME": NAME},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        timeout=120,
        check=False,
    )
    assert child.returncode in (0, -signal.SIGKILL), child.stderr.decode()
    eventually(_server_has_noticed)
    return child.returncode != 0


def _server_has_noticed() -> bool:
    """Return whether no session of a killed process is left, and so none of its locks."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE application_name = %s", [NAME])
        return bool(cursor.fetchone()[0] == 0)
