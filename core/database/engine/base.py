"""Django's PostgreSQL, but a connection to a server that takes no writes is not usable.

After a failover a connection to the old primary answers, and every sale on it fails. Django asks
whether a connection is usable before a request uses it, and after every error. A connection whose
session is not its own is not made at all.
"""

from datetime import UTC, datetime
from functools import cache
from typing import Any

import psycopg
from django.db.backends.postgresql import base, schema
from django.db.models import Index, Model
from psycopg.abc import Buffer
from psycopg.adapt import AdaptersMap, Loader

from core.database.engine import hanging, own_session

_UNFINISHED = (
    "SELECT EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass(%s) AND NOT indisvalid)"
)


class TimeLoader(Loader):
    """Read times that the server gives in UTC. Django's loader does it in Python, field by field.

    Django asks it for its zone. Raises psycopg.DataError for a time that Python has none for.
    """

    timezone = UTC

    def load(self, data: Buffer) -> datetime:
        text = str(data, "ascii")
        try:
            return datetime.fromisoformat(text)
        except ValueError as error:
            raise psycopg.DataError(f"no time of Python: {text!r}") from error


@cache
def _with_quick_times(adapters: AdaptersMap) -> AdaptersMap:
    """Return Django's converters with ours of times."""
    ours = AdaptersMap(adapters)
    ours.register_loader("timestamptz", TimeLoader)
    return ours


class SchemaEditor(schema.DatabaseSchemaEditor):
    """Django's editor, but one that makes indexes CONCURRENTLY while sales go on."""

    def add_index(self, model: type[Model], index: Index, concurrently: bool = False) -> None:
        """Make an index. Made CONCURRENTLY it waits for others as long as needed.

        It waits for their transactions and keeps nobody waiting. If it gave up, an index would be
        left that is unfinished and of no use; one of an earlier try is dropped.
        """
        if not concurrently:
            super().add_index(model, index)
            return
        with self.connection.cursor() as cursor:
            cursor.execute("SHOW lock_timeout")
            (usual,) = cursor.fetchone()
            cursor.execute("SET lock_timeout = 0")
            cursor.execute(_UNFINISHED, [index.name])
            if cursor.fetchone()[0]:
                cursor.execute(f"DROP INDEX CONCURRENTLY {self.quote_name(index.name)}")
            try:
                super().add_index(model, index, concurrently=True)
            finally:
                cursor.execute("SELECT set_config('lock_timeout', %s, false)", [usual])


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that is closed if it needs to write and its server is read-only."""

    SchemaEditorClass = SchemaEditor

    def get_connection_params(self) -> dict[str, Any]:
        """Return Django's parameters with converters of our own."""
        parameters: dict[str, Any] = super().get_connection_params()
        return parameters | {"context": _with_quick_times(parameters["context"])}

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Connect, and keep the connection among those that are left if their server hangs.

        Raises SessionPooled behind a pooler.
        """
        try:
            connection = super().get_new_connection(conn_params)
        except psycopg.OperationalError as error:
            if own_session.is_of_pooler(error):
                raise own_session.SessionPooled from error
            raise
        own_session.verify_own(connection)
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
        attributes = self.settings_dict["OPTIONS"].get("target_session_attrs", "any")
        return attributes in ("read-write", "primary")
