"""Migrate servers that a test starts for itself, use one by Django, sell on it, move it."""

import fcntl
import os
import shutil
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import psycopg
from django.db import connections
from psycopg import sql

from core.config import database_urls
from core.tools.embedded import folders
from core.tools.embedded.keeper import lock
from core.tools.embedded.postgres import DATABASE, SUPERUSER, Postgres, binaries
from core.tools.embedded.processes import EmbeddedError, server_account
from core.tools.embedded.server import var_folder
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket
from tests.support import databases, factories

_MOVING, _WITHIN_S = "moving", 300
SMALL = {"shared_buffers": "32MB", "max_connections": "20"}


@contextmanager
def used(server: Postgres) -> Iterator[None]:
    """Let Django use `server`."""
    urls = {"default": server.app_url, "owner": server.owner_url}
    before = {alias: dict(connections.settings[alias]) for alias in urls}
    connections.close_all()
    for alias, url in urls.items():
        parsed = database_urls.database_settings(url)
        connections.settings[alias].update(
            parsed, OPTIONS=before[alias]["OPTIONS"] | parsed["OPTIONS"]
        )
    try:
        yield
    finally:
        connections.close_all()
        for alias, settings in before.items():
            connections.settings[alias].update(settings)


def migrate(server: Postgres) -> None:
    """Give `server`, not started before, the roles and the data of one that is migrated.

    That one is made once and kept, stopped, until the code that decides its contents changes. A
    copy of the files is the same server for the journal; on a dump a lineage would have to begin.
    """
    base = var_folder() / "migrated"
    base.mkdir(parents=True, exist_ok=True)
    with lock(base / "lock", fcntl.LOCK_EX):
        original, made_for = Postgres(base / "postgres", SMALL), base / "digest"
        if not made_for.exists() or made_for.read_text() != databases.AT_START:
            original.destroy()
            with original, used(original):
                databases.migrate()
            made_for.write_text(databases.AT_START)
        place_secrets(server, original)
        place_cluster(server, original.folder / "data" / major())


def keep_in_memory(server: Postgres) -> None:
    """Keep the data of `server`, not started before, in memory: a kill leaves them as they are."""
    server.folder.mkdir(parents=True)
    data = server.folder / "data"
    folders.place_in_memory(data, server_account(data), room_bytes=1 << 30)


def place_secrets(server: Postgres, source: Postgres) -> None:
    """Give `server`, not started before, the passwords of another one."""
    server.folder.mkdir(parents=True, exist_ok=True)
    shutil.copytree(source.folder / "secrets", server.folder / "secrets")


def place_cluster(server: Postgres, source: Path) -> Path:
    """Copy a cluster that is not running to where `server` looks for its data."""
    account = server_account(server.folder / "data")
    data = folders.place(server.folder / "data", account)
    shutil.copytree(source, data / major())
    folders.give(data, account)
    return data / major()


def major() -> str:
    """Return the major version of the embedded PostgreSQL, which names its data folder."""
    return binaries().parent.name.removeprefix("pginstall")


def sell(contest: Contest, point: factories.Point, number: int) -> set[uuid.UUID]:
    sales = [factories.sell(contest, point) for _ in range(number)]
    assert {sale.outcome for sale in sales} == {"sold"}
    return {sale.uuid for sale in sales}


def tickets() -> set[uuid.UUID]:
    return set(Ticket.objects.values_list("uuid", flat=True))


class Standby(Postgres):
    """A server that follows another one. Its roles and databases are those of that one."""

    def _settle(self) -> None:
        """Leave everything as it is: nothing can be written."""


@contextmanager
def standby_of(server: Postgres, folder: Path) -> Iterator[Standby]:
    """Return a standby, in a new folder, that follows a running server without being waited for."""
    standby = Standby(folder, SMALL)
    keep_in_memory(standby)
    shutil.copytree(server.folder / "secrets", folder / "secrets")
    account = server_account(folder / "data")
    data = folders.place(folder / "data", account)
    subprocess.run(
        [
            *(str(binaries() / "pg_basebackup"), "--dbname", server.url(SUPERUSER, "postgres")),
            *("--pgdata", str(data / major()), "--checkpoint", "fast", "--wal-method", "stream"),
            *("--write-recovery-conf", "--no-sync"),
        ],
        check=True,
        capture_output=True,
        timeout=60,
    )
    folders.give(data, account)
    try:
        with standby:
            yield standby
    finally:
        standby.destroy()


# --- Moving a database to another server (docs/operations/journal.md) --------------------------


def tool(name: str, *arguments: str) -> None:
    """Run a program of the newest PostgreSQL. Raises EmbeddedError when it fails."""
    _run([str(binaries() / name), *arguments])


def to_dump(old: Postgres, new: Postgres, stop: Callable[[], None]) -> None:
    """Stop the sales, dump the database, and restore it on the new server."""
    stop()
    file = new.folder.parent / "dump"
    tool("pg_dump", "--format", "custom", "--file", str(file), "--dbname", old.url(SUPERUSER))
    new.start()
    tool("pg_restore", "--exit-on-error", "--dbname", new.url(SUPERUSER), str(file))


def to_logical_copy(old: Postgres, new: Postgres, stop: Callable[[], None]) -> None:
    """Copy the database while sales go on; stop them when the copy follows."""
    new.start()
    file = new.folder.parent / "schema"
    tool("pg_dump", "--schema-only", "--file", str(file), "--dbname", old.url(SUPERUSER))
    tool("psql", "--quiet", "-v", "ON_ERROR_STOP=1", "--file", str(file), new.url(SUPERUSER))
    with _session(old) as source, _session(new) as target:
        source.execute(f"CREATE PUBLICATION {_MOVING} FOR ALL TABLES")
        target.execute(
            sql.SQL("CREATE SUBSCRIPTION {} CONNECTION {} PUBLICATION {}").format(
                sql.Identifier(_MOVING), sql.Literal(old.url(SUPERUSER)), sql.Identifier(_MOVING)
            )
        )
        _wait(target, "SELECT count(*) FROM pg_subscription_rel WHERE srsubstate <> 'r'")
        stop()
        (written,) = source.execute("SELECT pg_current_wal_lsn()::text").fetchone() or ("",)
        _wait(
            source,
            "SELECT count(*) FROM pg_replication_slots WHERE confirmed_flush_lsn IS NULL"
            f" OR confirmed_flush_lsn < '{written}'",
        )
        target.execute(f"DROP SUBSCRIPTION {_MOVING}")
        source.execute(f"DROP PUBLICATION {_MOVING}")


def to_upgrade(old: Postgres, new: Postgres, stop: Callable[[], None]) -> None:
    """Stop the sales and the old server, and have pg_upgrade copy its cluster to the new one."""
    stop()
    old.stop()
    place_secrets(new, old)
    new.prepare()
    account = server_account(new.folder / "data")
    work = folders.place(new.folder / "work", account, most_bytes=folders.SOCKET_FOLDER_BYTES)
    password = (old.folder / "secrets" / SUPERUSER).read_text()
    _run(
        [
            str(new.software(account) / "pg_upgrade"),
            *("--old-bindir", str(old.software(account)), "--old-datadir", str(old.cluster)),
            *("--new-bindir", str(new.software(account)), "--new-datadir", str(new.cluster)),
            *("--username", SUPERUSER, "--socketdir", str(work.resolve())),
        ],
        cwd=work,
        env=os.environ | {"PGPASSWORD": password},
        **(account.popen_arguments() if account else {}),
    )
    new.start()


def _session(server: Postgres) -> psycopg.Connection:
    return psycopg.connect(server.url(SUPERUSER, DATABASE), autocommit=True)


def _wait(session: psycopg.Connection, question: str) -> None:
    """Ask until the answer is 0."""
    deadline = time.monotonic() + _WITHIN_S
    while session.execute(question).fetchone() != (0,):
        if time.monotonic() > deadline:
            raise EmbeddedError(f"not within {_WITHIN_S} s: {question}")
        time.sleep(0.2)


def _run(command: list[str], cwd: Path | None = None, **options: object) -> None:
    done = subprocess.run(
        command,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        **options,
    )
    if done.returncode:
        raise EmbeddedError(f"{command[0]} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


WAYS: Mapping[str, Callable[[Postgres, Postgres, Callable[[], None]], None]] = {
    "dump": to_dump,
    "logical": to_logical_copy,
    "upgrade": to_upgrade,
}
"""The ways of a database to another server, not started before, by the names of the drills."""
