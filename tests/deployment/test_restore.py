"""Recover to a point in time as docs/operations/backup.md says, on servers of this test."""

import re
import shutil
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from io import StringIO
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from pytest_django import DjangoDbBlocker

from core.config.startup import verify_server
from core.database import clock
from core.journal.verifying import verify
from core.ledger import services as ledger
from core.tools.embedded import folders
from core.tools.embedded.postgres import SUPERUSER, Postgres, binaries
from core.tools.embedded.processes import run_as, server_account
from core.tools.embedded.server import ROOT
from lototrot.models.contest import Contest
from lototrot.services.contest.closing import closings_due, contest_close, contest_close_due
from lototrot.services.settlement.unprinted import prints_end
from tests.support import factories, rounds
from tests.support.journaling import seal_all
from tests.support.servers import SMALL, migrate, place_cluster, sell, tickets, used

BACKUP = ROOT / "docs" / "operations" / "backup.md"

LOG_NAME = 24
"""The length of the name of a file of the log; what else is archived has longer ones."""


def as_superuser(server: Postgres, query: str) -> object:
    with psycopg.connect(server.url(SUPERUSER, "postgres"), autocommit=True) as connection:
        row = connection.execute(query).fetchone()
    assert row is not None
    return row[0]


def base_backup(server: Postgres, target: Path) -> None:
    subprocess.run(
        [
            str(binaries() / "pg_basebackup"),
            "--dbname",
            server.url(SUPERUSER, "postgres"),
            "--pgdata",
            str(target),
            "--checkpoint",
            "fast",
            "--wal-method",
            "stream",
        ],
        check=True,
        capture_output=True,
        timeout=120,
    )


def archived(server: Postgres) -> None:
    """Wait until everything that was written is in the archive."""
    segment = as_superuser(server, "SELECT pg_walfile_name(pg_switch_wal())")
    server._wait_until(
        lambda: (
            as_superuser(
                server,
                f"SELECT coalesce(last_archived_wal >= '{segment}', false) FROM pg_stat_archiver",
            )
            is True
        ),
        "did not archive",
    )


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Path]:
    link = tmp_path / "archive"
    yield folders.place(link, server_account(tmp_path / "none"))
    folders.remove(link)


@pytest.fixture
def production(
    tmp_path: Path, archive: Path, django_db_blocker: DjangoDbBlocker
) -> Iterator[Postgres]:
    """Return a server that archives, set up as docs/operations/backup.md says."""
    command = (
        f"test ! -f {archive}/%f && cp %p {archive}/%f.part && mv {archive}/%f.part {archive}/%f"
    )
    server = Postgres(
        tmp_path / "production", SMALL | {"archive_mode": "on", "archive_command": command}
    )
    with django_db_blocker.unblock():
        migrate(server)
    with server:
        yield server
    server.destroy()


def restore_command() -> str:
    """Return the command of docs/operations/backup.md."""
    (command,) = re.findall(r"^restore_command = '(.*)'$", BACKUP.read_text(), re.MULTILINE)
    return str(command)


def to_restore(
    folder: Path, secrets: Path, backup: Path, archive: Path, to: datetime | None
) -> Postgres:
    """Return a server that at its start restores itself from `backup` and the archive, as the lost
    one was at the instant `to`, or at the end of the log without one.

    `secrets` are the passwords of its roles.
    """
    recovery = {
        "restore_command": restore_command().replace("/archive/", f"{archive}/"),
        "hot_standby": "off",  # nobody gets in before it is over
    }
    if to is not None:
        recovery |= {"recovery_target_time": to.isoformat(), "recovery_target_action": "promote"}
    server = Postgres(folder, SMALL | recovery)
    folder.mkdir()
    shutil.copytree(secrets, folder / "secrets")
    (backup / "recovery.signal").touch()
    place_cluster(server, backup)
    return server


@contextmanager
def restored(*arguments: Any) -> Iterator[Postgres]:
    """Return a server of `to_restore` that has restored itself."""
    server = to_restore(*arguments)
    try:
        with server:
            yield server
    finally:
        server.destroy()


def the_database_is_as_it_was(contest: Contest, sold: set[uuid.UUID]) -> None:
    verify_server()
    assert tickets() == sold
    output = StringIO()
    call_command("ledger_rebuild", stdout=output)
    assert "none differs" in output.getvalue()
    account = contest.takings_account.code
    assert ledger.balance_cents(ledger.liability(account)) == len(sold) * contest.price_cents
    rounds.books_agree()
    seal_all()
    assert verify().findings == []


def test_a_restore_to_an_instant_has_every_sale_before_it_and_none_after(
    tmp_path: Path, archive: Path, production: Postgres, django_db_blocker: DjangoDbBlocker
) -> None:
    backup = tmp_path / "backup"
    with django_db_blocker.unblock():
        with used(production):
            contest, point = factories.contest(), factories.point()
            in_the_backup = sell(contest, point, 20)
            base_backup(production, backup)
            in_the_archive = sell(contest, point, 30)
            instant = clock.now()
            lost = sell(contest, point, 10)
            contest_close(contest_id=contest.pk, cause=Contest.Cause.ORGANISER)
            assert tickets() == in_the_backup | in_the_archive | lost
            archived(production)
        secrets = shutil.copytree(production.folder / "secrets", tmp_path / "secrets")
        production.destroy()  # the disaster: backup and archive are all there is
        second = tmp_path / "restored"
        with restored(second, secrets, backup, archive, instant) as server, used(server):
            the_database_is_as_it_was(contest, in_the_backup | in_the_archive)

            # Back before its closing, the contest is on sale, with the secret of its codes.
            contest.refresh_from_db()
            assert contest.state == Contest.State.OPEN
            assert contest.code_secret is not None
            assert closings_due() == []
            sell(contest, point, 1)
            # What the organiser does then (early closing); its schedule would do it by itself.
            factories.time_to(contest.scheduled_close_at)
            assert closings_due() == [contest.pk]
            assert contest_close_due(contest_id=contest.pk)
            factories.time_pass(minutes=5)
            assert prints_end(contest_id=contest.pk)
            contest.refresh_from_db()
            assert contest.code_secret is None


def test_a_restore_is_whole_at_the_end_of_its_log_and_stops_at_a_file_that_it_cannot_read(
    tmp_path: Path, archive: Path, production: Postgres, django_db_blocker: DjangoDbBlocker
) -> None:
    """The last file of the log was lost with the server: the archive ends amid sales."""
    backup = tmp_path / "backup"
    with django_db_blocker.unblock():
        with used(production):
            contest, point = factories.contest(), factories.point()
            kept = sell(contest, point, 10)
            base_backup(production, backup)
            kept |= sell(contest, point, 10)
            archived(production)
            kept_files = set(archive.iterdir())
            sell(contest, point, 10)
        secrets = shutil.copytree(production.folder / "secrets", tmp_path / "secrets")
        production.destroy()
        for file in set(archive.iterdir()) - kept_files:  # what its end made whole
            file.unlink()

        newest = max(file for file in archive.iterdir() if len(file.name) == LOG_NAME)
        newest.chmod(0)
        again = Path(shutil.copytree(backup, tmp_path / "again"))
        stopped = to_restore(tmp_path / "stopped", secrets, again, archive, None)
        order = stopped._prepare()
        done = run_as(order.account, *order.argv)  # it would run on if it opened without the rest
        assert done.returncode == 1
        assert f'could not restore file "{newest.name}"' in done.stderr
        stopped.destroy()
        newest.chmod(0o600)
        with restored(tmp_path / "whole", secrets, backup, archive, None) as server, used(server):
            the_database_is_as_it_was(contest, kept)
