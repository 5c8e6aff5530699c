"""Copy the demonstration's database, to tamper with the copy and delete it."""

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import urlsplit

import psycopg

from core.tools.embedded.postgres import binaries, restrict

_NAME = "raceday_copy"
_URLS = ("DATABASE_URL", "DATABASE_OWNER_URL")


@contextmanager
def database_copy(environment: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Copy the database under another name; give an environment whose commands use the copy.

    PostgreSQL cannot copy a database in use as a template, so it is dumped and restored.
    """
    copied = {name: urlsplit(environment[name])._replace(path=f"/{_NAME}") for name in _URLS}
    app = copied["DATABASE_URL"].username or ""
    with psycopg.connect(environment["DATABASE_OWNER_URL"], autocommit=True) as owner:
        owner.execute(f"DROP DATABASE IF EXISTS {_NAME}")
        owner.execute(f"CREATE DATABASE {_NAME}")
        restrict(owner, _NAME, app)
        try:
            urls = {name: url.geturl() for name, url in copied.items()}
            _pour(environment["DATABASE_OWNER_URL"], urls["DATABASE_OWNER_URL"])
            yield {**environment, **urls}
        finally:
            drop(owner, _NAME)


def drop(owner: psycopg.Connection, name: str) -> None:
    """Delete a database, also while a session works on it.

    The plain form sends autovacuum away, which the owner has no right to end.
    """
    try:
        owner.execute(f"DROP DATABASE {name}")
    except psycopg.errors.ObjectInUse:  # a command was cut off, and its session is still there
        owner.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _pour(source: str, target: str) -> None:
    """Dump one database into another, which is empty."""
    dump = [str(binaries() / "pg_dump"), "--format", "custom", "--compress", "0", source]
    restore = [str(binaries() / "pg_restore"), "--exit-on-error", "--dbname", target]
    with subprocess.Popen(dump, stdout=subprocess.PIPE) as dumping:
        subprocess.run(restore, stdin=dumping.stdout, check=True)
    if dumping.returncode:
        raise subprocess.CalledProcessError(dumping.returncode, "pg_dump")
