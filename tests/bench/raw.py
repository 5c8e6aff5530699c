"""The baseline of the benchmarks: bare writes of the same rows into tables without anything."""

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from django.db import connections as databases

from core.journal.install import COLUMN
from core.tools.embedded.postgres import binaries

if TYPE_CHECKING:
    from tests.bench.store import Store

CONNECTIONS = 32


def copy(table: str, unique: str) -> None:
    """Make `raw_<table>` anew: the table's columns, a primary key, one unique constraint."""
    with databases["owner"].cursor() as cursor:
        cursor.execute(
            f"DROP TABLE IF EXISTS raw_{table};"
            f"CREATE TABLE raw_{table} (LIKE {table} INCLUDING IDENTITY, PRIMARY KEY (id),"
            f" UNIQUE ({unique})); ALTER TABLE raw_{table} DROP COLUMN {COLUMN}"
        )


@contextmanager
def indexed_copy(name: str, table: str) -> Iterator[None]:
    """Make a table with another's columns, indexes and checks, without its foreign keys."""
    with databases["owner"].cursor() as cursor:
        cursor.execute(
            f"DROP TABLE IF EXISTS {name};"
            f"CREATE TABLE {name} (LIKE {table} INCLUDING IDENTITY INCLUDING INDEXES"
            f" INCLUDING CONSTRAINTS); ALTER TABLE {name} DROP COLUMN {COLUMN}"
        )
    try:
        yield
    finally:
        with databases["owner"].cursor() as cursor:
            cursor.execute(f"DROP TABLE {name}")


def per_s(script: Path, store: "Store") -> float:
    """Return a script's transactions per second: pgbench, 32 connections, prepared statements."""
    return float(_figure(r"^tps = ([\d.]+)", script, store))


def done(
    script: Path,
    store: "Store",
    *,
    role: str = "DATABASE_OWNER_URL",
    connections: int = CONNECTIONS,
) -> int:
    """Run a script as `per_s` does, by the application's role if asked. Return how often it ran."""
    count = _figure(
        r"actually processed: ([1-9]\d*)", script, store, role=role, connections=connections
    )
    return int(count)


def _figure(
    pattern: str,
    script: Path,
    store: "Store",
    *,
    role: str = "DATABASE_OWNER_URL",
    connections: int = CONNECTIONS,
) -> str:
    """Return what pgbench prints in the pattern's group.

    On a machine so busy that no transaction ends in time, measure for longer, up to eight times.
    """
    for times in (1, 2, 4, 8):
        seconds = max(1, round(store.size.load_s)) * times
        printed = _pgbench(script, store, seconds, role=role, connections=connections)
        match = re.search(pattern, printed, re.MULTILINE)
        if match is not None:
            return match[1]
    raise RuntimeError(printed)


def _pgbench(
    script: Path,
    store: "Store",
    seconds: int,
    *,
    role: str,
    connections: int,
) -> str:
    command = [str(binaries() / "pgbench"), "--no-vacuum", "--protocol", "prepared"]
    command += ["--client", str(connections), "--jobs", str(min(2, connections))]
    command += ["--time", str(seconds), "--file", str(script)]
    result = subprocess.run(
        [*command, store.stack.environment[role]],
        capture_output=True,
        text=True,
        check=True,
    )
    return result.stdout + result.stderr
