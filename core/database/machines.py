"""Read the state of the machines: the database's, its standbys, and the workers."""

from dataclasses import dataclass
from typing import Final

from core.database.reading.asking import fetch_row

WAITING: Final = ("on", "remote_apply", "remote_write")
"""With these of `synchronous_commit` an answer waits for the synchronous standbys, too."""
WORKERS_SILENT_S: Final = 60.0
_STATE = """
SELECT current_setting('synchronous_standby_names'), current_setting('synchronous_commit'),
       (SELECT count(*) FROM pg_stat_replication WHERE application_name NOT LIKE 'barman%'),
       EXISTS (SELECT FROM pg_stat_replication WHERE application_name = 'barman_receive_wal'),
       current_setting('archive_mode'),
       a.last_failed_time > coalesce(a.last_archived_time, '-infinity'),
       extract(epoch FROM clock_timestamp() - a.last_archived_time),
       (SELECT max(age(datfrozenxid)) FROM pg_database),
       (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
       current_setting('max_connections')::integer,
       (SELECT extract(epoch FROM core_server_clock() - swept_at) FROM database_clockwatch)
  FROM pg_stat_archiver a
"""


@dataclass(frozen=True, slots=True)
class Machines:
    """The state of the machines. Ages are in seconds, None where nothing of the kind happened.

    `replicas` are the servers that follow this one now. `received` says whether the machine of the
    backups receives the log (`barman_receive_wal`). `xid_age` counts the transactions since the
    oldest one that is not frozen. The server stops at 2,100 million.
    """

    standbys: str
    commit: str
    replicas: int
    received: bool
    archive_mode: str
    archive_failing: bool
    archived_s: float | None
    xid_age: int
    sessions: int
    most_sessions: int
    worker_silent_s: float | None

    @property
    def without_second(self) -> str:
        """Return why an answered sale may be on one machine only; empty if it is on two."""
        if not self.standbys.strip():
            return "no synchronous standby"
        return "" if self.commit in WAITING else f"synchronous_commit is {self.commit}"

    @property
    def archived(self) -> bool:
        """Return whether the log goes to an archive: it is sent there, or received from there."""
        return self.received or self.archive_mode != "off"

    @property
    def works(self) -> bool:
        """Return whether a worker has answered within a minute."""
        return self.worker_silent_s is not None and self.worker_silent_s <= WORKERS_SILENT_S


def machines() -> Machines:
    """Return the state as the database knows it, in one question."""
    row = list(fetch_row(_STATE))
    row[5] = bool(row[5])
    for age in (6, 10):
        row[age] = None if row[age] is None else float(row[age])
    return Machines(*row)
