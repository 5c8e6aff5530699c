"""Wait until every transaction that started before an instant has ended."""

import datetime
import time

from django.db import connection

from core.database import clock
from core.database.reading.snapshot import READER
from core.kernel.errors import Unavailable

WITHIN_S = 60.0


class NotQuiet(Unavailable):
    code = "not_quiet"
    message = "A transaction that started earlier has not ended yet."


def wait_for_quiet(
    within_s: float | None = None, *, before: datetime.datetime | None = None
) -> None:
    """Wait until every transaction of this application that started before now has ended.

    With `before`, an instant that has passed, wait only for those that started before it.

    Those that only read (`snapshot`, `only_reading`) are not waited for: they write nothing. A
    transfer's time is read before it is committed. After this wait no older transfer can appear.
    Raises NotQuiet (transient) after `within_s` seconds (default WITHIN_S).
    """
    deadline = time.monotonic() + (WITHIN_S if within_s is None else within_s)
    with connection.cursor() as cursor:
        ago_s = (clock.now() - before).total_seconds() if before else 0.0
        cursor.execute("SELECT clock_timestamp() - make_interval(secs => %s)", [ago_s])
        started = cursor.fetchone()[0]
        while True:
            # Within a transaction the server would otherwise repeat its first answer.
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                " AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
                " AND usename = current_user AND xact_start <= %s"
                " AND application_name <> %s",
                [started, READER],
            )
            if not cursor.fetchone()[0]:
                return
            if time.monotonic() > deadline:
                raise NotQuiet
            time.sleep(0.05)
