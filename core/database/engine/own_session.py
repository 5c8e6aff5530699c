"""Refuse a connection whose session is shared with other clients, as a pooler does.

The session is told who acts (core/journal/acting.py), and so are limits, locks of nights and
prepared statements. Behind a pooler in transaction mode each transaction may be in another session,
and an act would be under the name of the person who used that one before (docs/adr/0039).
"""

from typing import Any, ClassVar, Final

import psycopg
from django.db import OperationalError

# A pooler answers so to the settings of a session that it does not pass on.
_NOT_PASSED_ON: Final = "unsupported startup parameter"


class SessionPooled(OperationalError):
    """The session is not this connection's own. `code` is stable; callers get `unavailable`."""

    code: ClassVar[str] = "session_pooled"
    message: ClassVar[str] = (
        "a pooler stands before the database, and a session would be used by several persons;"
        " give DATABASE_URL the server's own address"
    )

    def __init__(self) -> None:
        super().__init__(f"{self.code}: {self.message}")


def verify_own(connection: "psycopg.Connection[Any]") -> None:
    """Raise SessionPooled, and close the connection, unless the session is this connection's own.

    A server says at once by which number its session is cancelled: the number of its process. A
    pooler says a number of its own, because the session behind it changes. What only passes bytes
    on, such as HAProxy, changes nothing.
    """
    link = connection.pgconn  # by the driver it would be a transaction of three statements
    if link.exec_(b"SELECT pg_backend_pid()").get_value(0, 0) != b"%d" % link.backend_pid:
        connection.close()
        raise SessionPooled


def is_of_pooler(error: psycopg.Error) -> bool:
    """Return whether a connection was refused by a pooler, for the settings of its session."""
    return _NOT_PASSED_ON in str(error)
