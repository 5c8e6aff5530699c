"""The baseline of the sale and play benchmarks: bare writes of the same rows, by pgbench."""

import re
import subprocess
from pathlib import Path

from django.db import connections as databases

from core.journal.install import COLUMN
from core.tools.embedded.postgres import binaries

CONNECTIONS = 32


def copy(table: str, unique: str) -> None:
    """`raw_<table>`: the table's own columns, a primary key, one unique column, nothing else."""
    with databases["owner"].cursor() as cursor:
        cursor.execute(
            f"DROP TABLE IF EXISTS raw_{table};"
            f"CREATE TABLE raw_{table} (LIKE {table} INCLUDING IDENTITY, PRIMARY KEY (id),"
            f" UNIQUE ({unique})); ALTER TABLE raw_{table} DROP COLUMN {COLUMN}"
        )


def per_s(script: Path, owner_url: str, seconds: float) -> float:
    """Transactions per second of a script: 32 connections, two threads, prepared."""
    result = subprocess.run(
        [
            binaries() / "pgbench",
            "--no-vacuum",
            "--protocol",
            "prepared",
            "--client",
            str(CONNECTIONS),
            "--jobs",
            "2",
            "--time",
            str(max(1, round(seconds))),
            "--file",
            script,
            owner_url,
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    found = re.search(r"^tps = ([\d.]+)", result.stdout, re.MULTILINE)
    if found is None:
        raise RuntimeError(result.stdout + result.stderr)
    return float(found[1])
