"""Waiting until what was under way has ended: what began before is then wholly seen, or undone."""

import time

from django.db import connection

from core.kernel.errors import Unavailable

WITHIN_S = 60.0


class NotQuiet(Unavailable):
    code = "not_quiet"
    message = "What began before is still under way."


def wait_for_quiet(within_s: float | None = None) -> None:
    """Until every transaction of this application that began before now has ended.

    A transfer's time is read before it is committed: after this, nothing older appears any more.
    Raises NotQuiet (transient).
    """
    deadline = time.monotonic() + (WITHIN_S if within_s is None else within_s)
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        began = cursor.fetchone()[0]
        while True:
            # Within a transaction the server shows its sessions as they were at the first look.
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                " AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
                " AND usename = current_user AND xact_start <= %s",
                [began],
            )
            if not cursor.fetchone()[0]:
                return
            if time.monotonic() > deadline:
                raise NotQuiet
            time.sleep(0.05)
