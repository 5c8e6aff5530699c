"""Back up, archive and restore with the shipped scripts, and audit what was restored."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from pytest_django import DjangoDbBlocker

from core.tools.embedded import folders
from core.tools.embedded.postgres import SUPERUSER, Postgres, binaries
from core.tools.embedded.processes import Account, server_account
from core.tools.embedded.server import ROOT
from tests.core.config.test_production import COMPLETE
from tests.support import factories
from tests.support.servers import SMALL, migrate, sell, used

DEPLOY = ROOT / "docs" / "deploy"

pytestmark = pytest.mark.skipif(not shutil.which("gpg"), reason="no gpg")


class Place:
    """Folders that the server's account can enter: keys, backups, archive, figures, work."""

    def __init__(self, root: Path, account: Account | None) -> None:
        self.root, self.account = root, account
        for name in ("keys", "server", "backup", "archive", "figures", "work"):
            (root / name).mkdir(mode=0o700)
        folders.give(root, account)
        make = ("--quick-gen-key", "backup@lototrot.example", "future-default", "default", "never")
        self.run("gpg", "--batch", "--pinentry-mode", "loopback", "--passphrase", "", *make)
        public = self.run("gpg", "--batch", "--armor", "--export")
        (root / "recipients.asc").write_bytes(public)
        (root / "recipients.asc").chmod(0o644)

    def run(self, *command: str, **environment: str) -> bytes:
        """Run a command as the server's account; its environment is what the units give."""
        given = {
            "PATH": f"{binaries()}:{os.environ['PATH']}",
            "GNUPGHOME": str(self.root / "keys"),
            "RECIPIENTS": str(self.root / "recipients.asc"),
            "FOLDER": str(self.root / "backup"),
            "ARCHIVE": str(self.root / "archive"),
            "FIGURES": str(self.root / "figures"),
            "WORK": str(self.root / "work"),
        }
        done = subprocess.run(
            command,
            cwd=self.root,
            env=given | environment,
            capture_output=True,
            timeout=240,
            check=False,
            **(self.account.popen_arguments() if self.account else {}),
        )
        assert done.returncode == 0, done.stderr.decode() + done.stdout.decode()
        return done.stdout

    def names(self, folder: str) -> set[str]:
        return {path.name for path in (self.root / folder).iterdir()}

    def backed_up(self, server: Postgres) -> None:
        """Make one base backup, of which one is kept."""
        at = psycopg.conninfo.conninfo_to_dict(server.url(SUPERUSER, "postgres"))
        names = {"host": "PGHOST", "port": "PGPORT", "user": "PGUSER", "password": "PGPASSWORD"}
        where = {names[name]: str(value) for name, value in at.items() if name in names}
        own = {"GNUPGHOME": str(self.root / "server"), "KEEP": "1"}
        self.run("bash", str(DEPLOY / "backup.sh"), **where, **own)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    account = server_account(tmp_path / "none")
    link = tmp_path / "place"
    yield Place(folders.place(link, account), account)
    folders.remove(link)


@pytest.fixture
def server(tmp_path: Path, place: Place, django_db_blocker: DjangoDbBlocker) -> Iterator[Postgres]:
    """Return a server that archives with the shipped script."""
    said = f"FOLDER={place.root}/archive RECIPIENTS={place.root}/recipients.asc"
    script = f"GNUPGHOME={place.root}/server {said} sh {DEPLOY}/archive.sh %p %f"
    made = Postgres(tmp_path / "p", SMALL | {"archive_mode": "on", "archive_command": script})
    with django_db_blocker.unblock():
        migrate(made)
    with made:
        yield made
    made.destroy()


def archived(server: Postgres) -> None:
    """Have everything that was written archived."""
    with psycopg.connect(server.url(SUPERUSER, "postgres"), autocommit=True) as session:
        row = session.execute("SELECT pg_walfile_name(pg_switch_wal())").fetchone()
        assert row is not None
        waiting = "SELECT coalesce(last_archived_wal >= %s, false) FROM pg_stat_archiver"
        server._wait_until(
            lambda: session.execute(waiting, row).fetchone() == (True,), "did not archive"
        )


def test_what_was_backed_up_is_restored_and_audited_and_old_ones_go(
    place: Place, server: Postgres, django_db_blocker: DjangoDbBlocker
) -> None:
    with django_db_blocker.unblock(), used(server):
        contest, point = factories.contest(), factories.point()
        factories.acknowledge(contest, point)
        place.backed_up(server)
        archived(server)
        (first,) = place.names("backup")
        older = {name for name in place.names("archive") if ".backup" not in name}
        sell(contest, point, 2)
        place.backed_up(server)
        sell(contest, point, 3)  # these are in the archived log alone
        archived(server)
    (newest,) = place.names("backup")
    assert newest > first
    assert older - place.names("archive"), "the log before the backup that is kept"
    assert "lototrot_backup.prom" in place.names("figures")
    assert all(name.endswith((".gpg", ".sha256")) for name in place.names("archive"))

    restoring = {name: value for name, value in COMPLETE.items() if "KEY" not in name}
    said = place.run(
        "bash",
        str(DEPLOY / "restore.sh"),
        **(restoring | {"PROCESS": "migrate", "PYTHON": sys.executable, "PROGRAM": str(ROOT)}),
        VAR_DIR=str(place.root / "work"),
        DJANGO_SETTINGS_MODULE="core.config.settings",
    ).decode()
    assert "none differs" in said
    figures = (place.root / "figures" / "lototrot_restore.prom").read_text()
    assert "lototrot_restore_timestamp_seconds" in figures
    assert not (place.root / "work" / "data").exists()
