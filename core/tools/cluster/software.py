"""Install Patroni and etcd from requirements.cluster.lock, into an environment of their own."""

import os
import subprocess
import venv
from pathlib import Path

from core.tools.embedded import folders
from core.tools.embedded.processes import Account
from core.tools.embedded.server import ROOT

LOCK = ROOT / "requirements.cluster.lock"


def installed(link: Path, account: Account | None) -> Path:
    """Return the folder of the programs, which `account` can run; install them on first use."""
    link.parent.mkdir(parents=True, exist_ok=True)
    folder = folders.place(link, account)
    stamp = folder / LOCK.name
    if not stamp.exists() or stamp.read_bytes() != LOCK.read_bytes():
        venv.create(folder, clear=True, with_pip=True)
        pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        words = ["--disable-pip-version-check", "--require-hashes", "-r", str(LOCK)]
        subprocess.run([*pip, *words], env=dict(os.environ), check=True)
        folders.give(folder, account)
        stamp.write_bytes(LOCK.read_bytes())
    return folder / "bin"
