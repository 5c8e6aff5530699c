"""Back up with the shipped script: encrypted, one kept, with the log that it needs."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

from core.tools.embedded.postgres import SUPERUSER, Postgres, binaries
from core.tools.embedded.server import ROOT

SCRIPT = ROOT / "docs" / "deploy" / "backup.sh"


def _gpg(keys: Path, *words: str) -> bytes:
    command = ["gpg", "--batch", "--quiet", "--pinentry-mode", "loopback", *words]
    environment = os.environ | {"GNUPGHOME": str(keys)}
    return subprocess.run(command, env=environment, capture_output=True, check=True).stdout


@pytest.mark.servers
@pytest.mark.skipif(not shutil.which("gpg"), reason="no gpg")
def test_a_backup_is_read_with_the_private_key_alone_and_old_ones_go(tmp_path: Path) -> None:
    keys, backups, archive = (tmp_path / name for name in ("keys", "backup", "archive"))
    for folder in (keys, backups, archive):
        folder.mkdir(mode=0o700)
    make = ("--quick-gen-key", "backup@lototrot.example", "future-default", "default", "never")
    _gpg(keys, "--passphrase", "", *make)
    (tmp_path / "recipients.asc").write_bytes(_gpg(keys, "--armor", "--export"))
    (backups / "20200101T000000Z.tar.gpg").touch()
    logs = [f"00000001000000000000000{number}" for number in range(1, 6)]
    for log in logs:
        (archive / f"{log}.gpg").touch()
        (archive / f"{log}.gpg.sha256").touch()
    (archive / f"{logs[1]}.00000028.backup.gpg").touch()
    (archive / f"{logs[3]}.00000028.backup.gpg").touch()
    with Postgres(tmp_path / "postgres", {"shared_buffers": "32MB"}) as server:
        at = conninfo_to_dict(server.url(SUPERUSER, "postgres"))
        names = {"host": "PGHOST", "port": "PGPORT", "user": "PGUSER", "password": "PGPASSWORD"}
        environment = {
            "PATH": f"{binaries()}:{os.environ['PATH']}",
            "GNUPGHOME": str(tmp_path / "server"),
            "RECIPIENTS": str(tmp_path / "recipients.asc"),
            "FOLDER": str(backups),
            "ARCHIVE": str(archive),
            "FIGURES": str(tmp_path),
            "KEEP": "1",
        } | {names[name]: str(value) for name, value in at.items() if name in names}
        subprocess.run(["bash", str(SCRIPT)], env=environment, check=True, timeout=120)
    (file,) = backups.iterdir()
    assert not file.name.startswith("2020")
    assert b"PG_VERSION" not in file.read_bytes()
    assert b"PG_VERSION" in _gpg(keys, "--decrypt", str(file))[:10_000_000]
    assert {path.name[:24] for path in archive.iterdir()} == {logs[3], logs[4]}
    figures = (tmp_path / "lototrot_backup.prom").read_text()
    assert "lototrot_backup_timestamp_seconds" in figures
