"""Install what is of no image and no test, each lock into an environment of its own."""

import os
import subprocess
import venv
from pathlib import Path

from core.tools.embedded import folders
from core.tools.embedded.processes import Account
from core.tools.embedded.server import ROOT

CLUSTER, BACKUP = (ROOT / f"requirements.{name}.lock" for name in ("cluster", "backup"))
"""Patroni and etcd; Barman."""


def barman(folder: Path, account: Account | None) -> Path:
    """Return where Barman's programs are, below a folder; install them on first use."""
    return installed(folder / "backup-software", account, BACKUP)


def installed(link: Path, account: Account | None, lock: Path = CLUSTER) -> Path:
    """Return the folder of the programs, which `account` can run; install them on first use."""
    link.parent.mkdir(parents=True, exist_ok=True)
    folder = folders.place(link, account)
    stamp = folder / lock.name
    if not stamp.exists() or stamp.read_bytes() != lock.read_bytes():
        venv.create(folder, clear=True, with_pip=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        # A lock is complete; what it leaves out was overridden (pyproject.toml).
        words = ["--disable-pip-version-check", "--require-hashes", "--no-deps", "-r", str(lock)]
        subprocess.run([*pip, *words], env=dict(os.environ), check=True)
        folders.give(folder, account)
        stamp.write_bytes(lock.read_bytes())
    return folder / "bin"
