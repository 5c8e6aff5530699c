"""Hash a part of a contest's tickets in a process beside, while this one hashes the other part."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
from django.conf import settings
from django.db import connection

from core.database.reading.asking import fetch_value
from lototrot.services.seal import hashing
from lototrot.services.seal.hashing import Hashed, Part, SellerUnknown

_WROTE_NOTHING = "SELECT pg_current_xact_id_if_assigned() IS NULL"
_SNAPSHOT = "SELECT pg_export_snapshot()"
# Our session waits for the process, in a transaction that must not be ended for it.
_WAIT = "SET LOCAL idle_in_transaction_session_timeout = 0"


class Beside:
    """A process that hashes a part."""

    def __init__(self, process: "subprocess.Popen[bytes]", part: Part) -> None:
        self._process = process
        if process.stdin:
            process.stdin.write(msgspec.json.encode(part) + b"\n")
            process.stdin.flush()

    def hashed(self) -> Hashed | None:
        """Wait for the part; None where the process failed, which said why on its standard error.

        Raise SellerUnknown.
        """
        answer, _ = self._process.communicate()
        if self._process.returncode == hashing.SELLER_UNKNOWN:
            raise SellerUnknown
        if self._process.returncode:
            return None
        return msgspec.json.decode(answer, type=Hashed)


def possible() -> bool:
    """Return whether another session can read just what this one reads.

    It does not see what our transaction wrote, and no snapshot is exported within a savepoint.
    """
    if not connection.in_atomic_block or connection.savepoint_ids:
        return False
    return bool(fetch_value(_WROTE_NOTHING))


@contextmanager
def hashing_beside(query: str, parameters: dict[str, int]) -> Iterator[Beside]:
    """Hash the rows of a query in a process that ends with the block at the latest."""
    with connection.cursor() as cursor:
        cursor.execute(_WAIT)
        cursor.execute(_SNAPSHOT)
        (snapshot,) = cursor.fetchone()
    part = Part(_server(), snapshot, query, parameters)
    process = subprocess.Popen(
        [sys.executable, "-m", hashing.__name__],
        cwd=settings.BASE_DIR,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with process:
        try:
            yield Beside(process, part)
        finally:
            process.kill()


def _server() -> dict[str, str | int]:
    """Return how to connect to the very server of our session, as the same role."""
    info = connection.connection.info
    parameters: dict[str, Any] = connection.get_connection_params()
    plain = {name: value for name, value in parameters.items() if isinstance(value, str | int)}
    return plain | {"host": info.host, "port": info.port}
