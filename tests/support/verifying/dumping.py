"""Dump a database as a thief would, and list what may be a secret in it."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from core.tools.embedded.postgres import binaries
from tests.support.databases import Database

_HEX = re.compile(r"(?<![0-9a-f])(?:\\\\x)?([0-9a-f]{64,})(?![0-9a-f])")


def dumped(database: Database, folder: Path) -> str:
    """Return every table of a database as text."""
    target = folder / "dump.sql"
    subprocess.run(
        [str(binaries() / "pg_dump"), "--dbname", database.owner_url, "--file", str(target)],
        check=True,
        capture_output=True,
        timeout=120,
    )
    return target.read_text("utf-8")


def digests(dump: str) -> set[str]:
    """Return every value of 32 bytes in a dump, in hexadecimal."""
    return {match.group(1) for match in _HEX.finditer(dump) if len(match.group(1)) == 64}


def candidates(dump: str) -> Iterator[bytes]:
    """Return every run of 32 bytes in hexadecimal in a dump, and 32 zero bytes."""
    yield bytes(32)
    for run in {match.group(1) for match in _HEX.finditer(dump)}:
        for at in range(0, len(run) - 63, 2):
            yield bytes.fromhex(run[at : at + 64])
