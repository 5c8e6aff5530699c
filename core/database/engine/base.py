"""Django's PostgreSQL, but a connection to a server that takes no writes is not usable.

After a failover a connection to the old primary answers, and every sale on it fails. Django asks
whether a connection is usable before a request uses it, and after every error.
"""

from typing import Any

import psycopg
from django.db.backends.postgresql import base

from core.database.engine import hanging


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection; one that wants to write is closed on a server that is read-only."""

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Connect, and keep the connection among those that are left if their server hangs."""
        connection = super().get_new_connection(conn_params)
        hanging.note(connection)
        return connection

    def is_usable(self) -> bool:
        """Return whether the server answers and takes writes, in one question."""
        if self.connection is None:
            return False
        try:
            row = self.connection.execute("SHOW transaction_read_only").fetchone()
        except psycopg.Error:
            return False
        return bool(row[0] == "off" or not self._writes())

    def _writes(self) -> bool:
        wanted = self.settings_dict["OPTIONS"].get("target_session_attrs", "any")
        return wanted in ("read-write", "primary")
