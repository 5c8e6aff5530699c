"""Kill a process in the middle of a season's work, at a statement that the season chooses."""

import signal
import tempfile
from collections.abc import Mapping
from pathlib import Path

from django.db import connection

from tests.support.concurrency.forking import Forked
from tests.support.concurrency.sales import eventually
from tests.support.season.doomed import do

NAME = "season: to be killed"


def killed(environment: Mapping[str, str], work: str, statement: int) -> bool:
    """Run the work in a process of its own that dies at a statement. Return whether it did."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "doomed"
        child = Forked(do, work, statement, environment=environment, output=output, name=NAME)
        code = child.wait()
        assert code in (0, -signal.SIGKILL), child.errors()
    eventually(_server_has_noticed)
    return code != 0


def _server_has_noticed() -> bool:
    """Return whether no session of a killed process is left, and so none of its locks."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE application_name = %s", [NAME])
        return bool(cursor.fetchone()[0] == 0)
