"""The disk of PostgreSQL is full: sales are refused in words, none is lost, and they go on."""

import shutil
import subprocess
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import psycopg
import pytest
from django.core.management import call_command
from django.db import Error, connections
from pytest_django import DjangoDbBlocker

from core.api.problems import domain_error
from core.database import clock
from core.journal.verifying import verify
from core.kernel.errors import DomainError
from core.tools.embedded import folders
from core.tools.embedded.postgres import SUPERUSER, Postgres
from core.tools.embedded.processes import server_account
from tests.support import factories, rounds
from tests.support.concurrency.sales import eventually
from tests.support.factories.request_uuids import uuid_at
from tests.support.journaling import seal_all
from tests.support.servers import SMALL, major, migrate, tickets, used

ROOM_BYTES = 48 << 20
"""Room on the disk beside the cluster as it was migrated."""
_MOST_SALES = 5000
Sell = Callable[[uuid.UUID], DomainError | None]


@pytest.fixture
def server(tmp_path: Path, django_db_blocker: DjangoDbBlocker) -> Iterator[Postgres]:
    """A server on a small disk of its own."""
    server = Postgres(tmp_path / "postgres", SMALL | {"min_wal_size": "32MB"})
    with django_db_blocker.unblock():
        migrate(server)
        disk, aside = (server.folder / "data").resolve(), tmp_path / "aside"
        account = server_account(disk)
        shutil.move(disk / major(), aside)
        cluster_bytes = sum(each.stat().st_size for each in aside.rglob("*") if each.is_file())
        options = f"size={cluster_bytes + ROOM_BYTES}"
        mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(disk)]
        if subprocess.run(mount, capture_output=True, check=False).returncode:
            server.destroy()
            pytest.skip("no disk may be mounted here")
        try:
            disk.chmod(0o700)
            shutil.copytree(aside, disk / major())
            folders.give(disk, account)
            with server, used(server):
                yield server
        finally:
            server.stop_for_all()
            subprocess.run(["umount", str(disk)], check=True)
            server.destroy()


@pytest.fixture
def sell(server: Postgres) -> Sell:
    """Sell a ticket under a UUID; the function returns the error that the terminal gets."""
    contest, point = factories.contest(), factories.point()
    factories.acknowledge(contest, point)

    def sold(ident: uuid.UUID) -> DomainError | None:
        try:
            assert factories.sell(contest, point, request=ident, acknowledged=False).uuid == ident
        except (Error, psycopg.Error) as error:
            connections.close_all()
            return domain_error(error)
        return None

    return sold


def fill(server: Postgres) -> Path:
    """Fill the disk to its last byte with one file, and return that."""
    filler = server.cluster.parent / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(1 << 12))
    return filler


def refused(sell: Sell, began: datetime, asked: list[uuid.UUID]) -> DomainError:
    """Sell until that is refused, and return the refusal. The last UUID is the one refused."""
    for _ in range(_MOST_SALES):
        asked.append(uuid_at(began))
        error = sell(asked[-1])
        if error is not None:
            return error
    raise AssertionError("the disk is not full")


def log_grown(server: Postgres) -> None:
    """Make the log need more room than there is: the server cannot go on without."""
    with suppress(psycopg.Error), psycopg.connect(server.url(SUPERUSER, "postgres")) as session:
        session.execute("SELECT pg_logical_emit_message(true, 'x', repeat('x', 100000000))")


@pytest.mark.article("14.III.1.5")
def test_sales_are_refused_while_the_disk_is_full_and_go_on_when_there_is_room(
    server: Postgres, sell: Sell, capsys: pytest.CaptureFixture[str]
) -> None:
    began, asked = clock.now(), list[uuid.UUID]()
    for grow in (lambda server: None, log_grown):
        asked.append(uuid_at(began))
        assert sell(asked[-1]) is None
        filler = fill(server)
        grow(server)
        error = refused(sell, began, asked)
        assert (error.code, error.transient) == ("unavailable", True)
        filler.unlink()
        eventually(lambda: sell(asked[-1]) is None)  # the terminal asks again
    assert tickets() == set(asked)
    call_command("ledger_rebuild")
    assert "none differs" in capsys.readouterr().out
    rounds.books_agree()
    seal_all()
    assert verify().findings == []
