"""Migrate servers that a test starts for itself, have Django use one, sell tickets on it."""

import fcntl
import shutil
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connections

from core.config import database_urls
from core.tools.embedded import folders
from core.tools.embedded.keeper import lock
from core.tools.embedded.postgres import SUPERUSER, Postgres, binaries
from core.tools.embedded.processes import server_account
from core.tools.embedded.server import var_folder
from lototrot.models.contest import Contest
from lototrot.models.tickets import Ticket
from tests.support import databases, factories

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
    copy has the transaction counter of the original; a dump in a new server would have to be
    refused, as the journal is ordered by that counter.
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
        server.folder.mkdir(parents=True, exist_ok=True)
        shutil.copytree(original.folder / "secrets", server.folder / "secrets")
        place_cluster(server, original.folder / "data" / major())


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
    folder.mkdir()
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
